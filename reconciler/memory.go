package reconciler

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
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
	kept, ok := m.kept[key]
	if !ok {
		obj.SetGeneration(1)
		m.kept[key] = obj.DeepCopyObject().(client.Object)
		return nil
	}
	same, err := sameSpec(kept, obj)
	if err != nil {
		return err
	}
	obj.SetGeneration(kept.GetGeneration())
	if !same {
		obj.SetGeneration(kept.GetGeneration() + 1)
	}
	next := obj.DeepCopyObject().(client.Object)
	copyField(next, kept, "Status")
	copyField(obj, kept, "Status")
	m.kept[key] = next
	return nil
}

func (m *memory) PutStatus(_ context.Context, obj client.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, err := m.key(obj)
	if err != nil {
		return err
	}
	kept, ok := m.kept[key]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{}, obj.GetName())
	}
	copyField(kept, obj.DeepCopyObject(), "Status")
	return nil
}

func (m *memory) List(_ context.Context, list client.ObjectList, namespace, federation string) error {
	return meta.SetList(list, nil) // a command starts with an empty ledger and never lists again
}

func (m *memory) Delete(_ context.Context, obj client.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, err := m.key(obj)
	delete(m.kept, key)
	return err
}

// copyField sets one field of dst to that of src; both point to structs of the same type.
func copyField(dst, src any, field string) {
	reflect.ValueOf(dst).Elem().FieldByName(field).Set(reflect.ValueOf(src).Elem().FieldByName(field))
}
