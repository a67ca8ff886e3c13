package search

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/answer"
	"github.com/accord-dev/accord/apiserver/clusterproxy"
)

// ResourceRegistry is a ResourceRegistry of accord in Karmada's group.
type ResourceRegistry v1alpha1.ResourceRegistry

// DeepCopyObject implements runtime.Object.
func (r *ResourceRegistry) DeepCopyObject() runtime.Object {
	return (*ResourceRegistry)((*v1alpha1.ResourceRegistry)(r).DeepCopy())
}

// OpenAPIModelName returns the name of the schema in OpenAPI documents.
func (ResourceRegistry) OpenAPIModelName() string {
	return "io.karmada.search.v1alpha1.ResourceRegistry"
}

// ResourceRegistryList is a list of ResourceRegistries.
type ResourceRegistryList v1alpha1.ResourceRegistryList

// DeepCopyObject implements runtime.Object.
func (l *ResourceRegistryList) DeepCopyObject() runtime.Object {
	return (*ResourceRegistryList)((*v1alpha1.ResourceRegistryList)(l).DeepCopy())
}

// OpenAPIModelName returns the name of the schema in OpenAPI documents.
func (ResourceRegistryList) OpenAPIModelName() string {
	return "io.karmada.search.v1alpha1.ResourceRegistryList"
}

// show returns a ResourceRegistry of the hub in Karmada's group. It changes r.
func show(r *v1alpha1.ResourceRegistry) *ResourceRegistry {
	r.ManagedFields = nil
	r.SetGroupVersionKind(GroupVersion.WithKind("ResourceRegistry"))
	return (*ResourceRegistry)(r)
}

// registryStorage serves ResourceRegistries with all verbs. The hub has them in the group accord.dev.
type registryStorage struct{ hub client.WithWatch }

var (
	_ rest.Getter               = registryStorage{}
	_ rest.Lister               = registryStorage{}
	_ rest.Watcher              = registryStorage{}
	_ rest.Creater              = registryStorage{}
	_ rest.Updater              = registryStorage{}
	_ rest.Patcher              = registryStorage{}
	_ rest.GracefulDeleter      = registryStorage{}
	_ rest.Scoper               = registryStorage{}
	_ rest.SingularNameProvider = registryStorage{}
	_ rest.ShortNamesProvider   = registryStorage{}
	_ rest.TableConvertor       = registryStorage{}
)

// New implements rest.Storage.
func (registryStorage) New() runtime.Object { return &ResourceRegistry{} }

// NewList implements rest.Lister.
func (registryStorage) NewList() runtime.Object { return &ResourceRegistryList{} }

// Destroy implements rest.Storage.
func (registryStorage) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (registryStorage) NamespaceScoped() bool { return false }

// GetSingularName implements rest.SingularNameProvider.
func (registryStorage) GetSingularName() string { return "resourceregistry" }

// ShortNames implements rest.ShortNamesProvider.
func (registryStorage) ShortNames() []string { return []string{"rr"} }

var registryResource = GroupVersion.WithResource(registries).GroupResource()

func (s registryStorage) read(ctx context.Context, name string) (*v1alpha1.ResourceRegistry, error) {
	r := &v1alpha1.ResourceRegistry{}
	err := s.hub.Get(ctx, client.ObjectKey{Name: name}, r)
	if apierrors.IsNotFound(err) {
		return nil, apierrors.NewNotFound(registryResource, name)
	}
	return r, err
}

// Get implements rest.Getter.
func (s registryStorage) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	r, err := s.read(ctx, name)
	if err != nil {
		return nil, err
	}
	return show(r), nil
}

// List implements rest.Lister.
func (s registryStorage) List(ctx context.Context, o *internalversion.ListOptions) (runtime.Object, error) {
	found := &v1alpha1.ResourceRegistryList{}
	if err := s.hub.List(ctx, found, clusterproxy.OnHub(o)); err != nil {
		return nil, err
	}
	for i := range found.Items {
		show(&found.Items[i])
	}
	found.SetGroupVersionKind(GroupVersion.WithKind("ResourceRegistryList"))
	return (*ResourceRegistryList)(found), nil
}

// Watch implements rest.Watcher.
func (s registryStorage) Watch(ctx context.Context, o *internalversion.ListOptions) (watch.Interface, error) {
	events, err := s.hub.Watch(ctx, &v1alpha1.ResourceRegistryList{}, clusterproxy.OnHub(o))
	if err != nil {
		return nil, err
	}
	return watch.Filter(events, func(e watch.Event) (watch.Event, bool) {
		if r, ok := e.Object.(*v1alpha1.ResourceRegistry); ok {
			e.Object = show(r)
		}
		return e, true
	}), nil
}

// Create implements rest.Creater.
func (s registryStorage) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, o *metav1.CreateOptions) (runtime.Object, error) {
	if err := validate(ctx, object.DeepCopyObject()); err != nil {
		return nil, err
	}
	r := (*v1alpha1.ResourceRegistry)(object.(*ResourceRegistry)).DeepCopy()
	r.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ResourceRegistry"))
	r.ManagedFields = nil
	if err := s.hub.Create(ctx, r, &client.CreateOptions{DryRun: o.DryRun}); err != nil {
		return nil, err
	}
	return show(r), nil
}

// Update implements rest.Updater. The hub applies a patch to the object that it has.
func (s registryStorage) Update(ctx context.Context, name string, change rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc,
	_ bool, o *metav1.UpdateOptions) (runtime.Object, bool, error) {
	before, err := s.read(ctx, name)
	if err != nil {
		return nil, false, err
	}
	managers := before.ManagedFields
	old := show(before.DeepCopy())
	changed, err := change.UpdatedObject(ctx, old)
	if err != nil {
		return nil, false, err
	}
	if err := update(ctx, changed.DeepCopyObject(), old); err != nil {
		return nil, false, err
	}
	r := (*v1alpha1.ResourceRegistry)(changed.(*ResourceRegistry)).DeepCopy()
	r.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ResourceRegistry"))
	r.ManagedFields = managers
	if r.ResourceVersion == "" {
		r.ResourceVersion = before.ResourceVersion
	}
	if err := s.hub.Update(ctx, r, &client.UpdateOptions{DryRun: o.DryRun}); err != nil {
		return nil, false, err
	}
	return show(r), false, nil
}

// Delete implements rest.GracefulDeleter.
func (s registryStorage) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, o *metav1.DeleteOptions) (runtime.Object, bool, error) {
	r, err := s.read(ctx, name)
	if err != nil {
		return nil, false, err
	}
	if err := validate(ctx, show(r.DeepCopy())); err != nil {
		return nil, false, err
	}
	options := &client.DeleteOptions{}
	if o != nil {
		options = &client.DeleteOptions{Preconditions: o.Preconditions, PropagationPolicy: o.PropagationPolicy, DryRun: o.DryRun}
	}
	if err := s.hub.Delete(ctx, r, options); err != nil {
		return nil, false, err
	}
	return show(r), true, nil
}

var registryColumns = []metav1.TableColumnDefinition{
	{Name: "Name", Type: "string", Format: "name", Description: "Name of the ResourceRegistry."},
	{Name: "Ready", Type: "string", Description: "Status of the condition Ready."},
	{Name: "Clusters", Type: "string", Description: "Clusters that are current, of those that are selected."},
	{Name: "Objects", Type: "integer", Description: "Cached objects."},
	{Name: "Age", Type: "string", Description: "Time since the ResourceRegistry was created."},
}

// ConvertToTable implements rest.TableConvertor.
func (registryStorage) ConvertToTable(_ context.Context, object, options runtime.Object) (*metav1.Table, error) {
	table := answer.Table(registryColumns, options)
	add := func(r *ResourceRegistry) {
		ready := metav1.ConditionUnknown
		if c := meta.FindStatusCondition(r.Status.Conditions, "Ready"); c != nil {
			ready = c.Status
		}
		table.Rows = append(table.Rows, metav1.TableRow{
			Cells:  []any{r.Name, string(ready), r.Status.Display, r.Status.Objects, duration.HumanDuration(time.Since(r.CreationTimestamp.Time))},
			Object: runtime.RawExtension{Object: r},
		})
	}
	switch o := object.(type) {
	case *ResourceRegistry:
		add(o)
		table.ResourceVersion = o.ResourceVersion
	case *ResourceRegistryList:
		for i := range o.Items {
			add((*ResourceRegistry)(&o.Items[i]))
		}
		table.ResourceVersion, table.Continue = o.ResourceVersion, o.Continue
	}
	return table, nil
}

// registryStatus serves the subresource status to get. accord writes it.
type registryStatus struct{ all registryStorage }

var _ rest.Getter = registryStatus{}

// New implements rest.Storage.
func (registryStatus) New() runtime.Object { return &ResourceRegistry{} }

// Destroy implements rest.Storage.
func (registryStatus) Destroy() {}

// Get implements rest.Getter.
func (s registryStatus) Get(ctx context.Context, name string, o *metav1.GetOptions) (runtime.Object, error) {
	return s.all.Get(ctx, name, o)
}

// ConvertToTable implements rest.TableConvertor.
func (s registryStatus) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return s.all.ConvertToTable(ctx, object, options)
}
