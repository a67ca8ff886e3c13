package sharing

import (
	"hash/maphash"
	"maps"
	"math"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// maxParts is the number of parts after which those are forgotten that no object had since as many others came. Forgotten parts stay with
// their objects: a later object with an equal part has its own.
const maxParts = 50_000

// parts are the values that objects share: texts, lists and maps.
type parts struct {
	mu   sync.Mutex
	seed maphash.Seed
	most int // parts of recent
	// recent are the parts of the last objects, older those of the objects before them, by their hashes.
	recent, older map[uint64]any
}

// share replaces parts of an object by equal ones of other objects. The object and its metadata are not shared: the API server sets the
// resourceVersion in place.
func (p *parts) share(u *unstructured.Unstructured) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, value := range u.Object {
		if own, is := value.(map[string]any); is && name == "metadata" {
			for field, x := range own {
				own[field], _ = p.part(x)
			}
			continue
		}
		u.Object[name], _ = p.part(value)
	}
}

// part returns the shared value that equals a value, and its hash. It replaces the parts of the value.
func (p *parts) part(value any) (any, uint64) {
	var h uint64
	switch x := value.(type) {
	case map[string]any:
		h = uint64(len(x))
		for name, y := range x {
			shared, of := p.part(y)
			x[name] = shared
			h += mixed(maphash.String(p.seed, name) ^ mixed(of)) // whatever the order
		}
		h = mixed(h ^ 1)
	case []any:
		for i, y := range x {
			shared, of := p.part(y)
			x[i] = shared
			h = mixed(h ^ of)
		}
		h = mixed(h ^ 2)
	case string:
		h = mixed(maphash.String(p.seed, x) ^ 3)
	case int64:
		return x, mixed(uint64(x) ^ 4)
	case float64:
		return x, mixed(math.Float64bits(x) ^ 5)
	case bool:
		if x {
			return x, 6
		}
		return x, 7
	default: // null, and what JSON does not have
		return x, 8
	}
	return p.keep(value, h), h
}

// keep returns the shared value of a hash if it equals value, and else value, which later objects share.
func (p *parts) keep(value any, h uint64) any {
	found, there := p.recent[h]
	if !there {
		found, there = p.older[h]
	}
	if there && equal(found, value) {
		value = found
	} else if text, is := value.(string); is {
		value = strings.Clone(text) // the text may be a piece of a larger one
	}
	if len(p.recent) >= p.most || p.recent == nil {
		p.recent, p.older = map[uint64]any{}, p.recent
	}
	p.recent[h] = value
	return value
}

// mixed spreads a hash over all bits.
func mixed(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// equal reports whether two values are equal. Parts that are shared already are equal at once.
func equal(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, is := b.(map[string]any)
		return is && (reflect.ValueOf(x).UnsafePointer() == reflect.ValueOf(y).UnsafePointer() || maps.EqualFunc(x, y, equal))
	case []any:
		y, is := b.([]any)
		if !is || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return (x == nil) == (y == nil)
	default:
		return reflect.TypeOf(a) == reflect.TypeOf(b) && a == b
	}
}
