// Package registry has the storage of the group delivery.accord.dev/v1alpha1, as k8s.io/apiserver serves it: Bundles with their
// subresources index and objects, out of a Store in memory.
package registry

import (
	"context"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/bundles"
)

// Storage returns the storage of each resource. Requests that wait end when stopping is closed.
func Storage(store *bundles.Store, stopping <-chan struct{}) map[string]rest.Storage {
	return map[string]rest.Storage{
		delivery.Bundles:                          &bundleStorage{store},
		delivery.Bundles + "/" + delivery.Index:   &indexStorage{store: store, stopping: stopping},
		delivery.Bundles + "/" + delivery.Objects: &objectsStorage{store: store},
		delivery.Bundles + "/" + delivery.Answers: &answerStorage{store: store},
	}
}

var resource = schema.GroupResource{Group: delivery.GroupVersion.Group, Resource: delivery.Bundles}

// subresource has the methods that the storages of all subresources of a Bundle share.
type subresource struct{}

// New implements rest.Storage.
func (subresource) New() runtime.Object { return &delivery.Bundle{} }

// Destroy implements rest.Storage.
func (subresource) Destroy() {}

// NewConnectOptions implements rest.Connecter.
func (subresource) NewConnectOptions() (runtime.Object, bool, string) { return nil, false, "" }

// bundleStorage serves Bundles to get, list and watch.
type bundleStorage struct{ store *bundles.Store }

var (
	_ rest.Getter               = (*bundleStorage)(nil)
	_ rest.Lister               = (*bundleStorage)(nil)
	_ rest.Watcher              = (*bundleStorage)(nil)
	_ rest.Scoper               = (*bundleStorage)(nil)
	_ rest.SingularNameProvider = (*bundleStorage)(nil)
)

// New implements rest.Storage.
func (*bundleStorage) New() runtime.Object { return &delivery.Bundle{} }

// Destroy implements rest.Storage. The Store outlives the server.
func (*bundleStorage) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (*bundleStorage) NamespaceScoped() bool { return false }

// GetSingularName implements rest.SingularNameProvider.
func (*bundleStorage) GetSingularName() string { return "bundle" }

// NewList implements rest.Lister.
func (*bundleStorage) NewList() runtime.Object { return &delivery.BundleList{} }

// Get implements rest.Getter.
func (s *bundleStorage) Get(_ context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	all, _ := s.store.Select(name)
	if len(all) == 0 {
		return nil, apierrors.NewNotFound(resource, name)
	}
	return bundle(all[0]), nil
}

// List implements rest.Lister.
func (s *bundleStorage) List(_ context.Context, o *internalversion.ListOptions) (runtime.Object, error) {
	selected := selectionOf(o)
	all, revision := s.store.Select(selected.name)
	list := &delivery.BundleList{ListMeta: metav1.ListMeta{ResourceVersion: format(revision)}, Items: []delivery.Bundle{}}
	for _, f := range all {
		if selected.matches(f.Cluster) {
			list.Items = append(list.Items, *bundle(f))
		}
	}
	slices.SortFunc(list.Items, func(a, b delivery.Bundle) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// maxWatches of all Bundles at the same time.
const maxWatches = 64

// Watch implements rest.Watcher. A watch of one Bundle, with the field selector metadata.name, costs nothing until this Bundle changes.
func (s *bundleStorage) Watch(ctx context.Context, o *internalversion.ListOptions) (watch.Interface, error) {
	selected, limit := selectionOf(o), maxWatches
	if selected.name != "" {
		limit = delivery.MaxWaiting
	}
	sub, ok := s.store.Subscribe(selected.name, limit)
	if !ok {
		return nil, tooManyWaiting(selected.name, limit)
	}
	w := newWatcher(s.store, sub, selected)
	if err := w.begin(o); err != nil {
		sub.Close()
		return nil, err
	}
	go w.run(ctx)
	return w, nil
}

// selection has the selectors of a list or a watch.
type selection struct {
	name   string // "" selects all
	fields fields.Selector
	labels labels.Selector
}

func selectionOf(o *internalversion.ListOptions) selection {
	s := selection{fields: fields.Everything(), labels: labels.Everything()}
	if o == nil {
		return s
	}
	if o.FieldSelector != nil {
		s.fields = o.FieldSelector
		s.name, _ = o.FieldSelector.RequiresExactMatch("metadata.name")
	}
	if o.LabelSelector != nil {
		s.labels = o.LabelSelector
	}
	return s
}

// matches reports whether a Bundle is selected; Bundles have no labels.
func (s selection) matches(name string) bool {
	return s.fields.Matches(fields.Set{"metadata.name": name}) && s.labels.Matches(labels.Set{})
}

func bundle(f bundles.Figures) *delivery.Bundle {
	b := &delivery.Bundle{
		ObjectMeta: metav1.ObjectMeta{Name: f.Cluster, ResourceVersion: format(f.Revision), CreationTimestamp: metav1.NewTime(f.Created)},
		Status: delivery.BundleStatus{
			Index: f.Index, Federations: int64(f.Federations), Objects: int64(f.Objects), Bytes: f.Bytes, Published: metav1.NewTime(f.Published),
		},
	}
	b.SetGroupVersionKind(delivery.GroupVersion.WithKind("Bundle"))
	return b
}

func format(revision uint64) string { return strconv.FormatUint(revision, 10) }

// retryAfter is the time in seconds after which a client tries a refused request again.
const retryAfter = 1

func tooManyWaiting(cluster string, limit int) error {
	if cluster == "" {
		cluster = "all clusters"
	}
	return apierrors.NewTooManyRequests("at most "+strconv.Itoa(limit)+" requests and watches wait for the bundle of "+cluster+": end the others", retryAfter)
}

// unpublished returns the error of a cluster that has no bundle. accord may publish one a moment later.
func unpublished(cluster string) error {
	err := apierrors.NewServiceUnavailable("cluster " + strconv.Quote(cluster) + " has no bundle yet: try again")
	err.ErrStatus.Details = &metav1.StatusDetails{Group: resource.Group, Kind: resource.Resource, Name: cluster, RetryAfterSeconds: retryAfter}
	return err
}
