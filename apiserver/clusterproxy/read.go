package clusterproxy

import (
	"context"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/tunnels"
)

// clusterStorage serves Clusters to get, list and watch, out of those of the group accord.dev. Each has the resourceVersion that it has
// there, so that every replica of the server continues a list or a watch of another one.
type clusterStorage struct{ hub client.WithWatch }

var (
	_ rest.Getter               = clusterStorage{}
	_ rest.Lister               = clusterStorage{}
	_ rest.Watcher              = clusterStorage{}
	_ rest.Scoper               = clusterStorage{}
	_ rest.SingularNameProvider = clusterStorage{}
)

// New implements rest.Storage.
func (clusterStorage) New() runtime.Object { return &Cluster{} }

// NewList implements rest.Lister.
func (clusterStorage) NewList() runtime.Object { return &ClusterList{} }

// Destroy implements rest.Storage.
func (clusterStorage) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (clusterStorage) NamespaceScoped() bool { return false }

// GetSingularName implements rest.SingularNameProvider.
func (clusterStorage) GetSingularName() string { return "cluster" }

// Get implements rest.Getter.
func (s clusterStorage) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	c, err := tunnels.ReadCluster(ctx, s.hub, name)
	if apierrors.IsNotFound(err) {
		return nil, apierrors.NewNotFound(GroupVersion.WithResource(resource).GroupResource(), name)
	}
	if err != nil {
		return nil, err
	}
	return project(c), nil
}

// List implements rest.Lister.
func (s clusterStorage) List(ctx context.Context, o *internalversion.ListOptions) (runtime.Object, error) {
	found := &v1alpha1.ClusterList{}
	if err := s.hub.List(ctx, found, OnHub(o)); err != nil {
		return nil, err
	}
	for i := range found.Items {
		project(&found.Items[i])
	}
	found.SetGroupVersionKind(GroupVersion.WithKind(kind + "List"))
	return (*ClusterList)(found), nil
}

// Watch implements rest.Watcher.
func (s clusterStorage) Watch(ctx context.Context, o *internalversion.ListOptions) (watch.Interface, error) {
	events, err := s.hub.Watch(ctx, &v1alpha1.ClusterList{}, OnHub(o))
	if err != nil {
		return nil, err
	}
	return watch.Filter(events, func(e watch.Event) (watch.Event, bool) {
		if c, ok := e.Object.(*v1alpha1.Cluster); ok {
			e.Object = project(c)
		}
		return e, true
	}), nil
}

// OnHub returns the options of the same request to the hub; those of a nil o select everything.
func OnHub(o *internalversion.ListOptions) *client.ListOptions {
	if o == nil {
		return &client.ListOptions{}
	}
	return &client.ListOptions{
		LabelSelector: o.LabelSelector, FieldSelector: o.FieldSelector, Limit: o.Limit, Continue: o.Continue,
		Raw: &metav1.ListOptions{
			ResourceVersion: o.ResourceVersion, ResourceVersionMatch: o.ResourceVersionMatch, TimeoutSeconds: o.TimeoutSeconds,
			AllowWatchBookmarks: o.AllowWatchBookmarks, SendInitialEvents: o.SendInitialEvents,
		},
	}
}

// statusStorage serves the subresource status to get.
type statusStorage struct{ clusters clusterStorage }

var _ rest.Getter = statusStorage{}

// New implements rest.Storage.
func (statusStorage) New() runtime.Object { return &Cluster{} }

// Destroy implements rest.Storage.
func (statusStorage) Destroy() {}

// Get implements rest.Getter.
func (s statusStorage) Get(ctx context.Context, name string, o *metav1.GetOptions) (runtime.Object, error) {
	return s.clusters.Get(ctx, name, o)
}

// changedElsewhere is the answer to a request that changes Clusters.
const changedElsewhere = "clusters of the group cluster.karmada.io are read-only: \"accord join\" and \"accord register\" add a cluster, \"accord leave\" and " +
	"\"accord unregister\" remove it, and its fields change in the manifest in Git, or with \"kubectl edit clusters.accord.dev\""

// ReadOnly refuses requests that change Clusters, with a sentence about the place where they are changed.
func ReadOnly(next http.Handler, codecs runtime.NegotiatedSerializer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, ok := request.RequestInfoFrom(r.Context())
		if !ok || !info.IsResourceRequest || info.APIGroup != GroupVersion.Group || info.Resource != resource || info.Subresource == subresource || reads(info.Verb) {
			next.ServeHTTP(w, r)
			return
		}
		err := apierrors.NewMethodNotSupported(GroupVersion.WithResource(resource).GroupResource(), info.Verb)
		err.ErrStatus.Message = changedElsewhere
		responsewriters.ErrorNegotiated(err, codecs, GroupVersion, w, r)
	})
}

func reads(verb string) bool { return verb == "get" || verb == "list" || verb == "watch" }
