package ownership

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/jsonobject"
)

// Missing returns the fields of an applied object that accord does not own any more, without the yielded ones.
// Another manager that changes or removes a field takes the ownership (the rules of server-side apply). The
// comparison needs no schema: the set shows whether a list is atomic or has items with owners.
func (f Fields) Missing(applied []byte, left []Yielded) []fieldpath.Path {
	lost, _ := f.Match(applied, left)
	return lost
}

// Match returns the Missing fields, and whether the set is exact: accord owns no field that the applied object does not have.
func (f Fields) Match(applied []byte, left []Yielded) (lost []fieldpath.Path, exact bool) {
	object, err := jsonobject.Unmarshal(applied)
	if err != nil {
		return []fieldpath.Path{{}}, false
	}
	set := f.Set()
	exact = within(set, object)
	delete(object, "apiVersion")
	delete(object, "kind")
	if metadata, ok := object["metadata"].(map[string]any); ok {
		delete(metadata, "name") // who an object is belongs to nobody
		delete(metadata, "namespace")
	}
	for _, l := range left {
		Remove(object, l.Path)
	}
	c := comparison{}
	c.object(set, object, nil)
	return c.lost, exact
}

// within reports whether v has a value at every leaf of a set.
func within(set *fieldpath.Set, v any) bool {
	for e := range set.Members.All() {
		if _, above := set.Children.Get(e); !above && Child(v, e) == nil {
			return false
		}
	}
	inside := true
	set.Children.Iterate(func(e fieldpath.PathElement) {
		below, _ := set.Children.Get(e)
		inside = inside && within(below, Child(v, e))
	})
	return inside
}

// Beyond returns the fields with a value in live that accord owns, and that the applied object does not have: somebody else
// applied them under accord's field manager.
func (f Fields) Beyond(applied, live map[string]any) []fieldpath.Path {
	var more []fieldpath.Path
	f.Set().Leaves().Iterate(func(at fieldpath.Path) {
		if ValueAt(applied, at) == nil && ValueAt(live, at) != nil {
			more = append(more, at.Copy())
		}
	})
	return more
}

type comparison struct{ lost []fieldpath.Path }

func (c *comparison) miss(at fieldpath.Path, e fieldpath.PathElement) {
	c.lost = append(c.lost, append(at.Copy(), e))
}

func (c *comparison) object(set *fieldpath.Set, object map[string]any, at fieldpath.Path) {
	for name, v := range object {
		c.field(set, fieldpath.FieldNameElement(name), v, at)
	}
}

func (c *comparison) field(set *fieldpath.Set, e fieldpath.PathElement, v any, at fieldpath.Path) {
	below, ok := set.Children.Get(e)
	if !ok { // a leaf, or a map or list that is one value to the API server
		if !set.Members.Has(e) {
			c.miss(at, e)
		}
		return
	}
	switch v := v.(type) {
	case map[string]any:
		c.object(below, v, append(at, e))
	case []any:
		c.items(below, v, append(at, e))
	}
}

// items compares a list whose items have owners of their own.
func (c *comparison) items(set *fieldpath.Set, list []any, at fieldpath.Path) {
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			if e := fieldpath.ValueElement(value.NewValueInterface(item)); !set.Members.Has(e) {
				c.miss(at, e)
			}
			continue
		}
		c.item(set, object, at)
	}
}

// item compares an object with the items of the set whose key it may have; accord has to own one of them completely.
func (c *comparison) item(set *fieldpath.Set, object map[string]any, at fieldpath.Path) {
	keys := KeysOf(set, object)
	if len(keys) == 0 {
		c.miss(at, fieldpath.KeyElement())
	}
	var lost []fieldpath.Path
	for i, e := range keys {
		try := comparison{}
		try.field(set, e, object, at)
		if len(try.lost) == 0 {
			return
		}
		if i == 0 {
			lost = try.lost
		}
	}
	c.lost = append(c.lost, lost...)
}

// KeysOf returns the items of the set that object may be: those whose key fields have equal values. The API server
// defaults a key field that the object lacks (the protocol of a port), so that any value of it matches.
func KeysOf(set *fieldpath.Set, object map[string]any) []fieldpath.PathElement {
	var keys []fieldpath.PathElement
	add := func(e fieldpath.PathElement) {
		if e.Key != nil && hasKey(object, *e.Key) {
			keys = append(keys, e)
		}
	}
	set.Children.Iterate(add)
	set.Members.Iterate(add)
	return keys
}

func hasKey(object map[string]any, key value.FieldList) bool {
	return !slices.ContainsFunc(key, func(f value.Field) bool {
		v, has := object[f.Name]
		return has && !value.Equals(f.Value, value.NewValueInterface(v))
	})
}

// Managers are the field managers of an object.
type Managers []Manager

type Manager struct {
	Name, operation, subresource string
	time                         string // RFC 3339 in UTC, so that it sorts
	fields                       Fields
}

// Of reads metadata.managedFields without a copy.
func Of(u *unstructured.Unstructured) Managers {
	metadata, _ := u.Object["metadata"].(map[string]any)
	entries, _ := metadata["managedFields"].([]any)
	var all Managers
	for _, e := range entries {
		e, ok := e.(map[string]any)
		if !ok {
			continue
		}
		m := Manager{fields: fieldsOf(e["fieldsV1"])}
		m.Name, _ = e["manager"].(string)
		m.operation, _ = e["operation"].(string)
		m.subresource, _ = e["subresource"].(string)
		m.time, _ = e["time"].(string)
		all = append(all, m)
	}
	return all
}

// OfEntries returns the Managers of typed managed fields.
func OfEntries(entries []metav1.ManagedFieldsEntry) Managers {
	var all Managers
	for _, e := range entries {
		m := Manager{Name: e.Manager, operation: string(e.Operation), subresource: e.Subresource}
		if e.Time != nil {
			m.time = e.Time.UTC().Format(time.RFC3339)
		}
		if e.FieldsV1 != nil {
			m.fields.text = e.FieldsV1.Raw
		}
		all = append(all, m)
	}
	return all
}

// isUs reports whether the entry is that of accord's applies.
func (m Manager) isUs() bool {
	return m.Name == v1alpha1.FieldManager && m.operation == "Apply" && m.subresource == ""
}

// Ours returns the fields that accord owns by its applies.
func (all Managers) Ours() Fields {
	for _, m := range all {
		if m.isUs() {
			return m.fields
		}
	}
	return Fields{}
}

// AppliedAt returns the time of accord's entry in seconds since 1970, or 0. An API server renews the time with every apply that
// changes the object or its owners.
func (all Managers) AppliedAt() int64 {
	for _, m := range all {
		if at, err := time.Parse(time.RFC3339, m.time); m.isUs() && err == nil {
			return at.Unix()
		}
	}
	return 0
}

// ChangedBy returns the manager that took the lost fields: the newest that owns one of them, or for removed fields
// the newest manager besides accord and the writers of status. It returns "" if there is none.
func (all Managers) ChangedBy(lost []fieldpath.Path) string {
	others := slices.DeleteFunc(all.byAge(), func(m Manager) bool { return m.isUs() || m.subresource == "status" })
	for _, m := range others {
		set := m.fields.Set()
		if slices.ContainsFunc(lost, set.Has) {
			return m.Name
		}
	}
	if len(others) == 0 {
		return ""
	}
	return others[0].Name
}

// byAge returns the managers, the newest first.
func (all Managers) byAge() Managers {
	return slices.SortedStableFunc(slices.Values(all), func(a, b Manager) int { return cmp.Compare(b.time, a.time) })
}

// ValueAt returns the value of an object at a path of managed fields, or nil.
func ValueAt(v any, at fieldpath.Path) any {
	for _, e := range at {
		v = Child(v, e)
	}
	return v
}

// Child returns the value of one element of a path below v, or nil. Of a list it is the item with the key or the value.
func Child(v any, e fieldpath.PathElement) any {
	if object, ok := v.(map[string]any); ok && e.FieldName != nil {
		return object[*e.FieldName]
	}
	list, _ := v.([]any)
	if e.Key != nil && len(*e.Key) == 0 {
		return v // an item that nobody owns is looked for in all of them
	}
	for _, item := range list {
		switch object, _ := item.(map[string]any); {
		case e.Value != nil && value.Equals(*e.Value, value.NewValueInterface(item)), e.Key != nil && object != nil && hasKey(object, *e.Key):
			return item
		}
	}
	return nil
}
