package manifest

import (
	"math"
	"sync"
	"unicode/utf8"
	"weak"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/internal/jsonobject"
)

// Packed is a manifest that a large repository has in memory as compact JSON: as a tree of maps it takes ten times as much. The
// pointer identifies the manifest: a changed one is another Packed.
type Packed struct {
	whole *unstructured.Unstructured // nil if text has it
	text  compact.Text
	// base is the manifest that this one is a copy of, with another namespace; nil for others.
	base      *Packed
	namespace string

	mu     sync.Mutex
	recent weak.Pointer[unstructured.Unstructured] // decoded from text
}

// Whole returns a Packed that keeps u as it is. The caller must not change u any more.
func Whole(u *unstructured.Unstructured) *Packed { return &Packed{whole: u} }

// Pack returns a Packed with a compact copy of u, whose canonical JSON is text. It keeps u only while somebody uses it. The caller must
// not change u any more.
func Pack(u *unstructured.Unstructured, text []byte, texts *compact.Texts) *Packed {
	if !utf8.Valid(text) || !decodesAsIs(u.Object) {
		return Whole(u)
	}
	return &Packed{text: texts.Keep(u.GetKind(), text), recent: weak.Make(u)}
}

// Get returns the manifest; nil for a nil Packed. The caller must not change it.
func (p *Packed) Get() *unstructured.Unstructured {
	if p == nil {
		return nil
	}
	if p.whole != nil {
		return p.whole
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.recent.Value(); u != nil {
		return u
	}
	u := p.decode()
	p.recent = weak.Make(u)
	return u
}

// Copy returns a copy of the manifest, which the caller may change.
func (p *Packed) Copy() *unstructured.Unstructured {
	if u := p.known(); u != nil {
		return u.DeepCopy()
	}
	return p.decode()
}

// known returns the manifest if it is in memory as a tree.
func (p *Packed) known() *unstructured.Unstructured {
	if p.whole != nil {
		return p.whole
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recent.Value()
}

func (p *Packed) decode() *unstructured.Unstructured {
	if p.base != nil {
		u := p.base.Copy()
		u.SetNamespace(p.namespace)
		return u
	}
	u := &unstructured.Unstructured{}
	p.text.Read(func(text []byte) {
		var err error
		if u.Object, err = jsonobject.UnmarshalAll(text); err != nil {
			panic("manifest: a packed manifest is damaged: " + err.Error()) // nobody but Pack makes one
		}
	})
	return u
}

// In returns the manifest with another namespace, in the form that it has.
func (p *Packed) In(namespace string) *Packed {
	other := &Packed{base: p, namespace: namespace}
	if p.whole != nil {
		return Whole(other.decode())
	}
	return other
}

// Labels returns the labels of the manifest.
func (p *Packed) Labels() map[string]string { return p.Get().GetLabels() }

// decodesAsIs reports whether a value of JSON has the same types after encoding and decoding: a float must not look like an integer.
func decodesAsIs(v any) bool {
	switch v := v.(type) {
	case nil, bool, string, int64:
		return true
	case float64:
		return v != math.Trunc(v) && !math.IsNaN(v)
	case []any:
		for _, item := range v {
			if !decodesAsIs(item) {
				return false
			}
		}
		return v != nil
	case map[string]any:
		for _, value := range v {
			if !decodesAsIs(value) {
				return false
			}
		}
		return v != nil
	}
	return false
}
