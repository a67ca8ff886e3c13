package memberserver

import (
	"crypto/sha256"
	"maps"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// builtin has the schemas of the kinds that client-go knows; reading them takes a moment.
var builtin = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(clientgoscheme.Scheme)
})

// merger returns the field manager that knows the rules of server-side apply for a kind. Kinds without a schema (those of definitions and
// aggregation) have lists that are one value, as custom resources without list types do.
func (h *Host) merger(kind schema.GroupVersionKind) (*managedfields.FieldManager, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.mergers[kind]; m != nil {
		return m, nil
	}
	converter := managedfields.NewDeducedTypeConverter()
	if clientgoscheme.Scheme.Recognizes(kind) {
		converter = builtin()
	}
	m, err := managedfields.NewDefaultCRDFieldManager(converter, oneVersion{}, oneVersion{}, oneVersion{}, kind, kind.GroupVersion(), "", nil)
	if err != nil {
		return nil, err
	}
	h.mergers[kind] = m
	return m, nil
}

// merge returns the object after the write. All members of a benchmark receive the same objects, and the result of a create
// is the same on each: merge keeps it, so that a thousand members do not cost a thousand times the work.
func (h *Host) merge(w write, creates bool, live *unstructured.Unstructured) (runtime.Object, error) {
	if !creates || w.text == nil {
		return h.compute(w, live)
	}
	key := creation{w.resource, w.name, w.manager, sha256.Sum256(w.text)}
	h.mu.Lock()
	known := h.created[key]
	h.mu.Unlock()
	if known != nil {
		return again(known), nil
	}
	result, err := h.compute(w, live)
	if u, ok := result.(*unstructured.Unstructured); ok && err == nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		if len(h.created) >= maxCreated {
			clear(h.created)
		}
		h.created[key] = u
		return again(u), nil
	}
	return result, err
}

func (h *Host) compute(w write, live *unstructured.Unstructured) (runtime.Object, error) {
	merger, err := h.merger(w.resource.kind)
	if err != nil {
		return nil, err
	}
	return merger.Apply(live.DeepCopy(), w.sent, w.manager, w.force)
}

// creation identifies an apply that creates an object.
type creation struct {
	resource resource
	name     types.NamespacedName
	manager  string
	text     [sha256.Size]byte
}

// maxCreated is the most results that are kept.
const maxCreated = 1024

// again returns a copy of the result of an earlier create, with the current time. It copies only the metadata; all other fields
// are shared, and not changed in place.
func again(known *unstructured.Unstructured) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: maps.Clone(known.Object)}
	if metadata, ok := known.Object["metadata"].(map[string]any); ok {
		u.Object["metadata"] = runtime.DeepCopyJSON(metadata)
	}
	managers := u.GetManagedFields()
	for i := range managers {
		managers[i].Time = &metav1.Time{Time: time.Now().UTC()}
	}
	u.SetManagedFields(managers)
	return u
}

// oneVersion has the library store objects as they were sent: in one version, with nothing defaulted.
type oneVersion struct{}

// ConvertToVersion, Convert and ConvertFieldLabel make it a runtime.ObjectConvertor.
func (oneVersion) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	return in, nil
}

// Convert is not called by the library.
func (oneVersion) Convert(_, _, _ any) error { return nil }

// ConvertFieldLabel is not called by the library.
func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// Default makes it a runtime.ObjectDefaulter.
func (oneVersion) Default(runtime.Object) {}

// New makes it a runtime.ObjectCreater.
func (oneVersion) New(kind schema.GroupVersionKind) (runtime.Object, error) { return empty(kind), nil }

// empty returns an object of a kind without fields.
func empty(kind schema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
	u.SetGroupVersionKind(kind)
	return u
}
