// Package clusterproxy serves the group cluster.karmada.io: the Clusters, which are read-only there, and clusters/{name}/proxy/{path}, whose
// requests go to the API server of the cluster, in the name of their user. accord connects to clusters in push mode itself, and to those in
// pull mode through their tunnel.
package clusterproxy

import (
	"context"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/clusters/proxy"
)

// GroupVersion is Karmada's API of clusters, at which its clients find the proxy.
var GroupVersion = schema.GroupVersion{Group: "cluster.karmada.io", Version: "v1alpha1"}

const (
	kind        = "Cluster"
	resource    = "clusters"
	subresource = "proxy"
	// allClusters is the name of a cluster that stands for all (Karmada 9.4).
	allClusters = "*"
)

// Storage returns the storage of each resource. Requests for no resource of all clusters are for the hub. Requests end when stopping is
// closed.
func Storage(hub client.WithWatch, members *Members, toHub proxy.Forward, stopping <-chan struct{}) map[string]rest.Storage {
	clusters := clusterStorage{hub}
	return map[string]rest.Storage{
		resource:                     clusters,
		resource + "/status":         statusStorage{clusters},
		resource + "/" + subresource: &proxyStorage{members: members, toHub: toHub, stopping: stopping},
	}
}

// AddToScheme adds the kinds of the group to a scheme, as its own internal version, too.
func AddToScheme(s *runtime.Scheme) error {
	for _, version := range []string{GroupVersion.Version, runtime.APIVersionInternal} {
		s.AddKnownTypes(schema.GroupVersion{Group: GroupVersion.Group, Version: version}, &Cluster{}, &ClusterList{})
	}
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}

// proxyStorage serves the subresource proxy.
type proxyStorage struct {
	members  *Members
	toHub    proxy.Forward
	stopping <-chan struct{}
}

var _ rest.Connecter = (*proxyStorage)(nil)

// New implements rest.Storage.
func (*proxyStorage) New() runtime.Object { return &Cluster{} }

// Destroy implements rest.Storage.
func (*proxyStorage) Destroy() {}

// NewConnectOptions implements rest.Connecter. The path of the request goes on behind the subresource.
func (*proxyStorage) NewConnectOptions() (runtime.Object, bool, string) { return nil, true, "path" }

// ConnectMethods implements rest.Connecter.
func (*proxyStorage) ConnectMethods() []string { return Methods() }

// Connect implements rest.Connecter. The hub and this server have authorized the user for the subresource of this cluster.
func (s *proxyStorage) Connect(ctx context.Context, cluster string, _ runtime.Object, out rest.Responder) (http.Handler, error) {
	caller, err := CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, err := proxy.Behind(r, "/apis/"+GroupVersion.String()+"/"+resource+"/"+cluster+"/"+subresource)
		if err != nil {
			out.Error(err)
			return
		}
		r, end := proxy.Until(r, s.stopping)
		defer end()
		r.URL = at
		if cluster == allClusters {
			s.toAll(w, r, caller)
			return
		}
		forward, err := s.members.Of(ctx, cluster)
		if err != nil {
			out.Error(err)
			return
		}
		forward(w, r, caller)
	}), nil
}

// toAll answers a request for all clusters. Those for no resource, such as discovery, are for the hub.
func (s *proxyStorage) toAll(w http.ResponseWriter, r *http.Request, c proxy.Caller) {
	info, err := Read(r)
	switch {
	case err != nil:
		proxy.Refuse(w, err)
	case !info.IsResourceRequest:
		s.toHub(w, r, c)
	default:
		s.members.FanOut(w, r, c, info)
	}
}

// Methods returns the methods of requests that go on to a cluster.
func Methods() []string {
	return []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
}

// CallerOf returns the user of a request, whom the hub has authenticated; without one, an Unauthorized error.
func CallerOf(ctx context.Context) (proxy.Caller, error) {
	user, known := request.UserFrom(ctx)
	if !known {
		return proxy.Caller{}, apierrors.NewUnauthorized("the request names no user")
	}
	return proxy.Caller{User: user.GetName(), Groups: user.GetGroups()}, nil
}
