package ownership

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Fields is the set of fields of one manager: FieldsV1, decoded or as JSON. The zero value is empty.
type Fields struct {
	decoded map[string]any
	text    []byte
}

// fieldsOf returns the Fields of a decoded fieldsV1.
func fieldsOf(raw any) Fields {
	decoded, _ := raw.(map[string]any)
	return Fields{decoded: decoded}
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

// Hash returns a number that is equal for equal sets, in any order, and 0 for the empty set.
func (f Fields) Hash() uint64 {
	tree := f.tree()
	if tree == nil {
		return 0
	}
	h := xxhash.New()
	hashTree(h, tree)
	return h.Sum64()
}

// hashTree hashes the names in order, each with its subtree; no name has a zero byte.
func hashTree(h *xxhash.Digest, tree map[string]any) {
	var room [24]string
	names := slices.AppendSeq(room[:0], maps.Keys(tree))
	slices.Sort(names)
	for _, name := range names {
		_, _ = h.WriteString(name)   // never fails
		_, _ = h.Write([]byte{0, 1}) // begins the fields below
		if below, ok := tree[name].(map[string]any); ok {
			hashTree(h, below)
		}
		_, _ = h.Write([]byte{0, 2}) // and ends it
	}
}

func (f Fields) set() *fieldpath.Set {
	set := fieldpath.NewSet()
	text := f.text
	if f.decoded != nil {
		var err error
		if text, err = json.Marshal(f.decoded); err != nil {
			return set
		}
	}
	if len(text) == 0 || set.FromJSON(bytes.NewReader(text)) != nil {
		return fieldpath.NewSet()
	}
	return set
}
