package ownership

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Fields is the set of fields of one manager: FieldsV1, decoded or as JSON. The zero value is empty.
type Fields struct {
	decoded map[string]any
	text    []byte
}

// fieldsOf returns the Fields of a fieldsV1, which is decoded, or JSON in a string as a watch passes it.
func fieldsOf(raw any) Fields {
	switch raw := raw.(type) {
	case map[string]any:
		return Fields{decoded: raw}
	case string:
		return Fields{text: []byte(raw)}
	}
	return Fields{}
}

func (f Fields) tree() map[string]any {
	if f.decoded != nil || len(f.text) == 0 {
		return f.decoded
	}
	var tree map[string]any
	if utiljson.Unmarshal(f.text, &tree) != nil {
		return nil
	}
	return tree
}

// Hash is 128 bits of the SHA-256 of a set of fields: the names are the member's to choose, and two sets must not collide.
type Hash [16]byte

// Hash returns a value that is equal for equal sets, in any order, and zero for the empty set.
func (f Fields) Hash() Hash {
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	names, ok := appendText((*room)[:0], f.text)
	if !ok {
		tree := f.tree()
		if tree == nil {
			return Hash{}
		}
		names = appendTree((*room)[:0], tree)
	}
	*room = names
	sum := sha256.Sum256(names)
	return Hash(sum[:len(Hash{})])
}

// rooms are the buffers of Hash.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// appendTree appends the names in order, each with its subtree; no name has a zero byte.
func appendTree(b []byte, tree map[string]any) []byte {
	var room [24]string
	names := slices.AppendSeq(room[:0], maps.Keys(tree))
	slices.Sort(names)
	for _, name := range names {
		b = append(append(b, name...), 0, 1) // begins the fields below
		if below, ok := tree[name].(map[string]any); ok {
			b = appendTree(b, below)
		}
		b = append(b, 0, 2) // and ends it
	}
	return b
}

// Set returns the decoded set; an empty one if it cannot be read. The caller must not change it.
func (f Fields) Set() *fieldpath.Set {
	text := f.text
	if f.decoded != nil {
		var err error
		if text, err = json.Marshal(f.decoded); err != nil {
			return fieldpath.NewSet()
		}
	}
	slot := &sets[maphash.Bytes(seed, text)%uint64(len(sets))]
	if last := slot.Load(); last != nil && last.text == string(text) {
		return last.set
	}
	set := fieldpath.NewSet()
	if len(text) == 0 || set.FromJSON(bytes.NewReader(text)) != nil {
		return fieldpath.NewSet()
	}
	if len(text) <= longestKept {
		slot.Store(&decodedSet{string(text), set})
	}
	return set
}

// decodedSet is a set with its text.
type decodedSet struct {
	text string
	set  *fieldpath.Set
}

// longestKept is the length of the longest text whose set is kept: those of others may be of any length.
const longestKept = 8 << 10

var (
	// sets are some that were decoded last. Most objects of a kind, and an object on all clusters, have equal ones.
	sets [64]atomic.Pointer[decodedSet]
	seed = maphash.MakeSeed() // of their places
)
