// Package search serves the group search.karmada.io: ResourceRegistries, and the objects of all clusters that they name as if one API server
// had them. Reads are answered out of memory; everything else goes on to the one cluster that has the object, in the name of its caller.
package search

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/rest"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/apiserver/clusterproxy"
	"github.com/accord-dev/accord/clusters/proxy"
	"github.com/accord-dev/accord/clusters/search"
)

// GroupVersion is Karmada's API of caches.
var GroupVersion = schema.GroupVersion{Group: "search.karmada.io", Version: "v1alpha1"}

const (
	registries = "resourceregistries"
	proxying   = "proxying"
	searching  = "search"
	// cachePrefix and proxyPrefix lead to the caches and to the view of all clusters.
	cachePrefix = "/apis/search.karmada.io/v1alpha1/search/cache"
	proxyPrefix = "/apis/search.karmada.io/v1alpha1/proxying/"
)

// Server answers the requests.
type Server struct {
	Caches  *search.Set
	Members *clusterproxy.Members
	// Hub reads and writes ResourceRegistries, and AsCaller sends the requests that are for the hub itself.
	Hub      client.WithWatch
	AsCaller *proxy.Member
	// HubReviews decides about rights on the hub.
	HubReviews authorizationclient.SubjectAccessReviewInterface
	// Stopping ends requests when it is closed.
	Stopping <-chan struct{}

	rights rights
	tables tables
}

// Storage returns the storage of each resource.
func (s *Server) Storage() map[string]rest.Storage {
	all := registryStorage{hub: s.Hub}
	return map[string]rest.Storage{
		registries:             all,
		registries + "/status": registryStatus{all},
		searching:              &connector{serve: s.serveCache, object: &Search{}},
		proxying:               placeholder{},
		proxying + "/proxy":    &connector{serve: s.serveProxying, object: &Proxying{}},
	}
}

// Search is the kind of the resource search, and Proxying that of proxying. They have no objects.
type (
	Search   struct{ metav1.TypeMeta }
	Proxying struct{ metav1.TypeMeta }
)

// DeepCopyObject implements runtime.Object.
func (s *Search) DeepCopyObject() runtime.Object { c := *s; return &c }

// DeepCopyObject implements runtime.Object.
func (p *Proxying) DeepCopyObject() runtime.Object { c := *p; return &c }

// OpenAPIModelName returns the name of the schema in OpenAPI documents.
func (Search) OpenAPIModelName() string { return "io.karmada.search.v1alpha1.Search" }

// OpenAPIModelName returns the name of the schema in OpenAPI documents.
func (Proxying) OpenAPIModelName() string { return "io.karmada.search.v1alpha1.Proxying" }

// AddToScheme adds the kinds of the group to a scheme, as its own internal version, too.
func AddToScheme(s *runtime.Scheme) error {
	for _, version := range []string{GroupVersion.Version, runtime.APIVersionInternal} {
		s.AddKnownTypes(schema.GroupVersion{Group: GroupVersion.Group, Version: version}, &ResourceRegistry{}, &ResourceRegistryList{}, &Search{}, &Proxying{})
	}
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}

// placeholder is a resource without verbs, which has the subresource proxy.
type placeholder struct{}

var (
	_ rest.Scoper               = placeholder{}
	_ rest.SingularNameProvider = placeholder{}
)

// New implements rest.Storage.
func (placeholder) New() runtime.Object { return &Proxying{} }

// Destroy implements rest.Storage.
func (placeholder) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (placeholder) NamespaceScoped() bool { return false }

// GetSingularName implements rest.SingularNameProvider.
func (placeholder) GetSingularName() string { return proxying }

// connector serves requests whose path goes on behind a name.
type connector struct {
	serve  func(w http.ResponseWriter, r *http.Request, name string, c proxy.Caller)
	object runtime.Object
}

var (
	_ rest.Connecter            = (*connector)(nil)
	_ rest.Scoper               = (*connector)(nil)
	_ rest.SingularNameProvider = (*connector)(nil)
)

// New implements rest.Storage.
func (c *connector) New() runtime.Object { return c.object.DeepCopyObject() }

// Destroy implements rest.Storage.
func (*connector) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (*connector) NamespaceScoped() bool { return false }

// GetSingularName implements rest.SingularNameProvider.
func (*connector) GetSingularName() string { return searching }

// NewConnectOptions implements rest.Connecter.
func (*connector) NewConnectOptions() (runtime.Object, bool, string) { return nil, true, "path" }

// ConnectMethods implements rest.Connecter.
func (*connector) ConnectMethods() []string { return clusterproxy.Methods() }

// Connect implements rest.Connecter. The hub and this server have authorized the user for the resource.
func (c *connector) Connect(ctx context.Context, name string, _ runtime.Object, _ rest.Responder) (http.Handler, error) {
	caller, err := clusterproxy.CallerOf(ctx)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.serve(w, r, name, caller) }), nil
}
