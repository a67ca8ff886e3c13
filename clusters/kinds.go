package clusters

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/restmapper"
)

const (
	// kindsExpire is when what a cluster serves is asked for again although nothing was missed.
	kindsExpire = 10 * time.Minute
	// kindsPatience is the least time between two questions that a kind which is not there gives rise to.
	kindsPatience = 5 * time.Second
)

// Kinds is what one cluster serves, asked for when it is first needed and kept.
type Kinds struct {
	server discovery.DiscoveryInterface

	mu    sync.Mutex
	known meta.RESTMapper
	asked time.Time
	news  chan struct{} // closed and replaced when the answer was renewed
}

// Look asks the cluster anew what it serves, in two requests where it can tell that in so many. Whoever needs a Mapping
// meanwhile is answered from what was known, and from the new answer afterwards.
func (k *Kinds) Look() (Served, error) {
	a, err := discover(k.server)
	if err != nil {
		return Served{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.learn(a)
	return a.served(), nil
}

func newKinds(server discovery.DiscoveryInterface) *Kinds {
	return &Kinds{server: server, news: make(chan struct{})}
}

// Mapping says under which resource a kind is served and whether it is namespaced. A kind that the cluster does not
// serve is meta.NoKindMatchError, after looking again if the last look was more than a few seconds ago.
func (k *Kinds) Mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || time.Since(k.asked) > kindsExpire {
		if err := k.ask(); err != nil {
			return nil, err
		}
	}
	mapping, err := k.mapping(gvk)
	if !meta.IsNoMatchError(err) || time.Since(k.asked) < kindsPatience {
		return mapping, err
	}
	if err := k.ask(); err != nil {
		return nil, err
	}
	return k.mapping(gvk)
}

// mapping takes any version that is served when gvk names none.
func (k *Kinds) mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	if gvk.Version == "" {
		return k.known.RESTMapping(gvk.GroupKind())
	}
	return k.known.RESTMapping(gvk.GroupKind(), gvk.Version)
}

// Refresh asks the cluster again, because it is known to serve something new.
func (k *Kinds) Refresh() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ask()
}

// News is closed when the cluster was asked again.
func (k *Kinds) News() <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.news
}

// ask keeps what was known if the cluster does not answer. The caller holds k.mu, so that many who miss a kind ask once.
func (k *Kinds) ask() error {
	a, err := discover(k.server)
	if err != nil {
		return err
	}
	k.learn(a)
	return nil
}

// learn replaces what was known. The caller holds k.mu.
func (k *Kinds) learn(a answer) {
	k.known, k.asked = restmapper.NewDiscoveryRESTMapper(a.groups()), time.Now()
	close(k.news)
	k.news = make(chan struct{})
}

// answer is what discovery says.
type answer struct {
	listed []*metav1.APIGroup
	lists  []*metav1.APIResourceList
	failed map[schema.GroupVersion]error // served by somebody who did not answer
}

// discover asks for everything. Groups that cannot be asked for now are no error, as long as there is any other.
func discover(server discovery.DiscoveryInterface) (answer, error) {
	groups, lists, err := server.ServerGroupsAndResources()
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial || groups == nil || lists == nil {
		return answer{}, fmt.Errorf("asking what the cluster serves: %w", cmp.Or(err, errNothingServed))
	}
	return answer{groups, lists, failed}, nil
}

var errNothingServed = errors.New("it names no API")

// groups is the answer by group and version.
func (a answer) groups() []*restmapper.APIGroupResources {
	lists := map[string][]metav1.APIResource{}
	for _, l := range a.lists {
		lists[l.GroupVersion] = l.APIResources
	}
	all := make([]*restmapper.APIGroupResources, len(a.listed))
	for i, g := range a.listed {
		all[i] = &restmapper.APIGroupResources{Group: *g, VersionedResources: map[string][]metav1.APIResource{}}
		for _, v := range g.Versions {
			if resources, told := lists[v.GroupVersion]; told {
				all[i].VersionedResources[v.Version] = resources
			}
		}
	}
	return all
}

// Namespaced are all resources that can be listed in a namespace, each in the version the cluster prefers. An API whose
// resources cannot be asked for now is an error: what is not known is not empty.
func (k *Kinds) Namespaced() ([]schema.GroupVersionResource, error) {
	lists, err := discovery.ServerPreferredNamespacedResources(k.server)
	if err != nil {
		return nil, fmt.Errorf("asking what the cluster serves: %w", err)
	}
	var all []schema.GroupVersionResource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("asking what the cluster serves: %w", err)
		}
		for _, r := range list.APIResources {
			if listable(r) {
				all = append(all, gv.WithResource(r.Name))
			}
		}
	}
	return all, nil
}

func listable(r metav1.APIResource) bool {
	return slices.Contains(r.Verbs, "list")
}
