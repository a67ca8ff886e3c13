package memberserver

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// builtin has the schemas of the kinds that client-go knows; reading them takes a moment.
var builtin = sync.OnceValue(func() managedfields.TypeConverter {
	return applyconfigurations.NewTypeConverter(clientgoscheme.Scheme)
})

// merger is what knows the rules of server-side apply for a kind. Kinds without a schema (those of definitions and
// aggregation) have lists that are one value, as custom resources without list types do.
func (h *Host) merger(kind schema.GroupVersionKind) (*managedfields.FieldManager, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.mergers[kind]; m != nil {
		return m, nil
	}
	types := managedfields.NewDeducedTypeConverter()
	if clientgoscheme.Scheme.Recognizes(kind) {
		types = builtin()
	}
	m, err := managedfields.NewDefaultCRDFieldManager(types, oneVersion{}, oneVersion{}, oneVersion{}, kind, kind.GroupVersion(), "", nil)
	if err != nil {
		return nil, err
	}
	h.mergers[kind] = m
	return m, nil
}

// oneVersion tells the library that objects are stored as they were sent: in one version, with nothing defaulted.
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

// empty is an object of a kind that does not exist yet.
func empty(kind schema.GroupVersionKind) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
	u.SetGroupVersionKind(kind)
	return u
}
