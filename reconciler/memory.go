package reconciler

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// memory is the ledger when there is no hub: it lives as long as the command does.
type memory struct {
	scheme *runtime.Scheme
	mu     sync.Mutex
	kept   map[string]client.Object // by kind, namespace and name
}

func newMemory(scheme *runtime.Scheme) *memory {
	return &memory{scheme: scheme, kept: map[string]client.Object{}}
}

func (m *memory) key(obj client.Object) (string, error) {
	gvk, err := apiutil.GVKForObject(obj, m.scheme)
	return fmt.Sprintf("%s %s/%s", gvk.Kind, obj.GetNamespace(), obj.GetName()), err
}

// Put raises the generation when the spec differs, as an API server does.
func (m *memory) Put(_ context.Context, obj client.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, err := m.key(obj)
	if err != nil {
		return err
	}
	generation := int64(1)
	if kept, ok := m.kept[key]; ok {
		generation = kept.GetGeneration()
		if !sameSpec(kept, obj) {
			generation++
		}
		takeStatus(obj, kept)
	}
	obj.SetGeneration(generation)
	m.kept[key] = obj.DeepCopyObject().(client.Object)
	return nil
}

// PutStatus is NotFound for an object that was never put, but for the Federation, which nobody puts.
func (m *memory) PutStatus(_ context.Context, obj client.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, err := m.key(obj)
	if err != nil {
		return err
	}
	kept, ok := m.kept[key]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Group: v1alpha1.GroupVersion.Group}, obj.GetName())
	}
	takeStatus(kept, obj.DeepCopyObject().(client.Object))
	return nil
}

// List finds nothing: a command starts with an empty ledger, and never lists again.
func (m *memory) List(_ context.Context, list client.ObjectList, _, _ string) error {
	return meta.SetList(list, nil)
}

func (m *memory) Delete(_ context.Context, obj client.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, err := m.key(obj)
	delete(m.kept, key)
	return err
}

// sameSpec compares two records of one kind.
func sameSpec(a, b client.Object) bool {
	switch a := a.(type) {
	case *v1alpha1.Release:
		return equality.Semantic.DeepEqual(a.Spec, b.(*v1alpha1.Release).Spec)
	case *v1alpha1.Delivery:
		return a.Spec == b.(*v1alpha1.Delivery).Spec
	case *v1alpha1.FederatedObject:
		return equality.Semantic.DeepEqual(a.Spec, b.(*v1alpha1.FederatedObject).Spec)
	}
	return false
}

// takeStatus sets the status of a record to that of another of its kind.
func takeStatus(to, from client.Object) {
	switch to := to.(type) {
	case *v1alpha1.Release:
		to.Status = from.(*v1alpha1.Release).Status
	case *v1alpha1.Delivery:
		to.Status = from.(*v1alpha1.Delivery).Status
	case *v1alpha1.FederatedObject:
		to.Status = from.(*v1alpha1.FederatedObject).Status
	}
}
