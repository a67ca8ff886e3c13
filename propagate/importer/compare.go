package importer

import (
	"maps"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/render/unrender"
	"github.com/accord-dev/accord/status/kind"
)

// Verdict is the comparison of one manifest with the live object.
type Verdict struct {
	ID      manifest.ID
	Missing bool     // the cluster has no such object
	Changes []string // fields that a delivery would change
	Beyond  []string // fields of the live object that neither the manifest nor a default sets; a delivery leaves them alone
	// Restarts means that a delivery replaces pods.
	Restarts bool
}

// Same reports whether a delivery changes nothing, and the manifest says everything that is live.
func (v Verdict) Same() bool { return !v.Missing && len(v.Changes)+len(v.Beyond) == 0 }

// Compare compares the manifest of an object, as it goes to the cluster, with the live object; live is nil if there is none. scaled means
// that an autoscaler owns the replicas.
func (c Cluster) Compare(m, live *unstructured.Unstructured, scaled bool) Verdict {
	v := Verdict{ID: manifest.IDOf(m)}
	if live == nil {
		v.Missing = true
		return v
	}
	want, have := unrender.Manifest(m), manifestOf(live, scaled)
	filled := want // as the API server stores it: with defaults, and quantities in its form
	if d := c.defaulter(want); d != nil {
		if object, err := d.Fill(want.Object); err == nil {
			filled = unrender.Manifest(&unstructured.Unstructured{Object: object})
		}
	}
	fields(want.Object, filled.Object, have.Object, "", &v.Changes)
	fields(have.Object, have.Object, filled.Object, "", &v.Beyond)
	for _, changed := range v.Changes {
		v.Beyond = slices.DeleteFunc(v.Beyond, func(field string) bool { return field == changed })
	}
	k := kind.Of(v.ID.GroupKind())
	if len(v.Changes) > 0 && k.Template != nil && k.Replaces != nil {
		before, after := k.Template(have), k.Template(merged(have, want))
		v.Restarts = before != nil && after != nil && !kind.SamePods(before, after)
	}
	return v
}

// merged returns the live object with the fields of the manifest.
func merged(live, m *unstructured.Unstructured) *unstructured.Unstructured {
	result := live.DeepCopy()
	merge(result.Object, m.DeepCopy().Object)
	return result
}

func merge(into, from map[string]any) {
	for name, value := range from {
		below, ok := value.(map[string]any)
		around, ok2 := into[name].(map[string]any)
		if ok && ok2 {
			merge(around, below)
		} else {
			into[name] = value
		}
	}
}

// Differences returns the paths of the fields that differ between two objects, sorted. Empty values equal absent ones.
func Differences(a, b *unstructured.Unstructured) (paths []string) {
	fields(a.Object, a.Object, b.Object, "", &paths)
	fields(b.Object, b.Object, a.Object, "", &paths)
	slices.Sort(paths)
	return slices.Compact(paths)
}

// fields adds the fields of want for which have has neither the same value nor the stored one. Empty values equal absent ones.
func fields(want, stored, have any, path string, found *[]string) {
	switch w := want.(type) {
	case map[string]any:
		s, _ := stored.(map[string]any)
		if h, ok := have.(map[string]any); ok || have == nil {
			for _, name := range slices.Sorted(maps.Keys(w)) {
				fields(w[name], s[name], h[name], join(path, name), found)
			}
			return
		}
	case []any:
		s, _ := stored.([]any)
		if h, ok := have.([]any); ok && len(h) == len(w) && len(s) == len(w) {
			for i := range w {
				fields(w[i], s[i], h[i], path+"["+strconv.Itoa(i)+"]", found)
			}
			return
		}
	}
	if !isEmpty(want) && !reflect.DeepEqual(want, have) && !reflect.DeepEqual(stored, have) {
		*found = append(*found, path)
	}
}

// join appends the name of a field to a path.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// isEmpty reports whether a value means the same as none.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// CompareAll compares the manifests that go to a cluster with its live objects, in the order of the manifests.
func (c Cluster) CompareAll(manifests []*unstructured.Unstructured) []Verdict {
	live, scaled := map[manifest.ID]*unstructured.Unstructured{}, scaledObjects(c)
	for _, u := range c.Objects {
		live[manifest.IDOf(u)] = u
	}
	verdicts := make([]Verdict, len(manifests))
	concurrent.Do(len(manifests), func(i int) {
		id := manifest.IDOf(manifests[i])
		verdicts[i] = c.Compare(manifests[i], live[id], scaled[id])
	})
	return verdicts
}
