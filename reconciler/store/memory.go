package store

import (
	"context"
	"fmt"
	"reflect"
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

// Memory is the Store of a process without a hub. It is safe for concurrent use.
type Memory struct {
	scheme  *runtime.Scheme
	mu      sync.Mutex
	records map[string]client.Object // by kind, namespace and name
}

// NewMemory returns an empty Store.
func NewMemory(scheme *runtime.Scheme) *Memory {
	return &Memory{scheme: scheme, records: map[string]client.Object{}}
}

func (m *Memory) key(obj client.Object) (string, error) {
	gvk, err := apiutil.GVKForObject(obj, m.scheme)
	return fmt.Sprintf("%s %s/%s", gvk.Kind, obj.GetNamespace(), obj.GetName()), err
}

// Put implements Store. It increments the generation when the spec differs, as an API server does.
func (m *Memory) Put(_ context.Context, obj client.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, err := m.key(obj)
	if err != nil {
		return err
	}
	generation := int64(1)
	if stored, ok := m.records[key]; ok {
		generation = stored.GetGeneration()
		if !sameSpec(stored, obj) {
			generation++
		}
		copyStatus(obj, stored)
	}
	obj.SetGeneration(generation)
	m.records[key] = obj.DeepCopyObject().(client.Object)
	return nil
}

// PutWhole implements Store.
func (m *Memory) PutWhole(ctx context.Context, obj client.Object) error {
	whole := obj.DeepCopyObject().(client.Object)
	if err := m.Put(ctx, obj); err != nil {
		return err
	}
	copyStatus(obj, whole)
	return m.PutStatus(ctx, obj)
}

// PutStatus implements Store. Federations and Clusters are never put: their status is NotFound.
func (m *Memory) PutStatus(_ context.Context, obj client.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, err := m.key(obj)
	if err != nil {
		return err
	}
	stored, ok := m.records[key]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Group: v1alpha1.GroupVersion.Group}, obj.GetName())
	}
	copyStatus(stored, obj.DeepCopyObject().(client.Object))
	return nil
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, obj client.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, err := m.key(obj)
	if err != nil {
		return err
	}
	stored := m.records[key]
	if stored == nil {
		return apierrors.NewNotFound(schema.GroupResource{}, key)
	}
	reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(stored.DeepCopyObject()).Elem())
	return nil
}

// List implements Store.
func (m *Memory) List(_ context.Context, list client.ObjectList, namespace, federation string) error {
	gvk, err := apiutil.GVKForObject(list, m.scheme)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []runtime.Object
	for _, o := range m.records {
		kind, err := apiutil.GVKForObject(o, m.scheme)
		if err != nil {
			return err
		}
		if kind.Kind+"List" == gvk.Kind && o.GetNamespace() == namespace && o.GetLabels()[v1alpha1.FederationLabel] == federation {
			found = append(found, o.DeepCopyObject())
		}
	}
	return meta.SetList(list, found)
}

// Replace implements Store: nobody else adds fields in memory.
func (m *Memory) Replace(context.Context, client.Object) error { return nil }

// IsKnown implements Store. Nobody else writes to the memory.
func (m *Memory) IsKnown(client.Object, uint64) (known, ok bool) { return true, true }

// IsWriting implements Store.
func (m *Memory) IsWriting(client.Object) bool { return false }

// Delete implements Store.
func (m *Memory) Delete(_ context.Context, obj client.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, err := m.key(obj)
	delete(m.records, key)
	return err
}

// sameSpec compares two records of one kind.
func sameSpec(a, b client.Object) bool {
	specA, _ := parts(a)
	specB, _ := parts(b)
	return equality.Semantic.DeepEqual(specA, specB)
}

// copyStatus sets the status of a record to that of another of its kind.
func copyStatus(to, from client.Object) {
	_, target := parts(to)
	_, source := parts(from)
	if target == nil {
		return // an Inventory
	}
	reflect.ValueOf(target).Elem().Set(reflect.ValueOf(source).Elem())
}
