package members

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubectl/pkg/scheme"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/members/fanout"
	"github.com/accord-dev/accord/cmd/accord/members/merge"
)

// theHub is the hub beside its members in a table. No Cluster has a name with a capital letter.
var theHub = fanout.Server{Source: merge.Source{Name: "Hub", Hub: true}, Limit: hub.RequestTimeout}

// notReadyLimit is the time for an answer of a cluster that is not Ready.
const notReadyLimit = 5 * time.Second

// clustersOf returns the named clusters, or all, in the order of their names. A user who may not list the clusters of the hub may have the
// right to use those that the user names.
func (t *target) clustersOf(ctx context.Context, h *hub.Hub, names []string) ([]fanout.Server, error) {
	list := &v1alpha1.ClusterList{}
	if err := h.List(ctx, list); apierrors.IsForbidden(err) && len(names) > 0 {
		for _, name := range names {
			list.Items = append(list.Items, v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
	} else if err != nil {
		return nil, h.Wrap("listing the clusters", err)
	}
	known := map[string]fanout.Server{}
	var all []string
	for _, c := range hub.NotBeingDeleted(list.Items) {
		s := fanout.Server{Source: merge.Source{Name: c.Name}, Limit: cmp.Or(t.hub.Timeout, hub.RequestTimeout)}
		if ready := apimeta.FindStatusCondition(c.Status.Conditions, "Ready"); ready != nil && ready.Status != metav1.ConditionTrue {
			s.Limit = min(s.Limit, notReadyLimit)
		}
		known[c.Name] = s
		all = append(all, c.Name)
	}
	slices.Sort(all)
	if len(names) == 0 {
		names = all
	}
	var servers []fanout.Server
	for _, name := range names {
		s, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("no cluster %q on %s%s", name, h.Config.Host, manifest.DidYouMean(name, all))
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// reach reads the version of a cluster, for an error that names the cause: kubectl's packages begin with discovery, whose errors do not.
func reach(ctx context.Context, getter genericclioptions.RESTClientGetter) error {
	cfg, err := getter.ToRESTConfig()
	if err != nil {
		return err
	}
	cfg = rest.CopyConfig(cfg)
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion() // errors are of the version v1
	client, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		return err
	}
	return client.Get().AbsPath("/version").Timeout(hub.RequestTimeout).Do(ctx).Error()
}

// basePath returns the path of the address of the hub.
func basePath(h *hub.Hub) string {
	u, _, err := rest.DefaultServerUrlFor(h.Config)
	if err != nil { // the hub could not have been connected to
		return ""
	}
	return strings.TrimSuffix(u.Path, "/")
}

// to returns kubectl's access to one server.
func (t *target) to(s fanout.Server) *genericclioptions.ConfigFlags {
	if s.Hub {
		return t.hub.Getter(t.namespace, "")
	}
	return t.hub.Getter(t.namespace, hub.ProxyPath(s.Name))
}

// toAll returns kubectl's access to several servers as if they were one.
func (t *target) toAll(fleet *fanout.Fleet, servers []fanout.Server) genericclioptions.RESTClientGetter {
	g := &fleetGetter{ConfigFlags: t.hub.Getter(t.namespace, "", fleet.Wrap)}
	// A cluster that is not Ready is asked about kinds last: it may not answer.
	order := slices.Clone(servers)
	slices.SortStableFunc(order, func(a, b fanout.Server) int { return -cmp.Compare(a.Limit, b.Limit) })
	for _, s := range order {
		g.servers = append(g.servers, t.to(s))
	}
	return g
}

// fleetGetter is the access to several servers. Requests go to all of them; kinds are those of the first one that has them.
type fleetGetter struct {
	*genericclioptions.ConfigFlags
	servers []*genericclioptions.ConfigFlags
}

// ToDiscoveryClient implements genericclioptions.RESTClientGetter.
func (g *fleetGetter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return g.servers[0].ToDiscoveryClient()
}

// ToRESTMapper implements genericclioptions.RESTClientGetter.
func (g *fleetGetter) ToRESTMapper() (apimeta.RESTMapper, error) {
	var all fanout.Mapper
	for _, s := range g.servers {
		all = append(all, s.ToRESTMapper)
	}
	return all, nil
}

// lazyGetter finds its servers when it is used: flags are parsed by then.
type lazyGetter func() (genericclioptions.RESTClientGetter, error)

// ToRESTConfig implements genericclioptions.RESTClientGetter.
func (l lazyGetter) ToRESTConfig() (*rest.Config, error) {
	g, err := l()
	if err != nil {
		return nil, err
	}
	return g.ToRESTConfig()
}

// ToDiscoveryClient implements genericclioptions.RESTClientGetter.
func (l lazyGetter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	g, err := l()
	if err != nil {
		return nil, err
	}
	return g.ToDiscoveryClient()
}

// ToRESTMapper implements genericclioptions.RESTClientGetter.
func (l lazyGetter) ToRESTMapper() (apimeta.RESTMapper, error) {
	g, err := l()
	if err != nil {
		return nil, err
	}
	return g.ToRESTMapper()
}

// ToRawKubeConfigLoader implements genericclioptions.RESTClientGetter.
func (l lazyGetter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	g, err := l()
	if err != nil {
		return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), nil)
	}
	return g.ToRawKubeConfigLoader()
}

var errNoCluster = errors.New("the hub has no cluster: \"accord join\" and \"accord register\" make one")
