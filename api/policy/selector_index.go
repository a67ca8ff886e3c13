package policy

import (
	"slices"

	"github.com/accord-dev/accord/api/manifest"
)

// SelectorIndex finds the policies that may select an object without looking at every policy: a repository often has a policy for each
// application. Callers number the policies. Several goroutines may search the index, but none may add to it then.
type SelectorIndex struct{ at map[selectorKey][]int }

// selectorKey has the fields of a selector that an object must have exactly. An empty field matches every object.
type selectorKey struct{ group, kind, namespace, name string }

// Add adds the selectors of policy i. Policies are added by ascending number. A policy with a namespace reaches only the objects of that
// namespace. A policy without selectors selects all objects that it reaches.
func (x *SelectorIndex) Add(i int, namespace string, selectors []ResourceSelector) {
	if x.at == nil {
		x.at = map[selectorKey][]int{}
	}
	if len(selectors) == 0 {
		x.add(i, selectorKey{namespace: namespace})
	}
	for _, s := range selectors {
		key := selectorKey{group: group(s.APIVersion), kind: s.Kind, namespace: namespace, name: s.Name}
		if namespace == "" {
			key.namespace = s.Namespace
		}
		x.add(i, key)
	}
}

func (x *SelectorIndex) add(i int, key selectorKey) {
	if all := x.at[key]; len(all) == 0 || all[len(all)-1] != i {
		x.at[key] = append(all, i)
	}
}

// Candidates returns the policies that may select an object, by ascending number: all that select it, and some of which only labels or a second
// namespace keep them from it.
func (x *SelectorIndex) Candidates(id manifest.ID) []int {
	namespaces := []string{"", id.Namespace}
	if namespaces[1] == "" {
		namespaces = namespaces[:1]
	}
	var found []int
	lists := 0
	for _, namespace := range namespaces {
		for _, key := range [...]selectorKey{{namespace: namespace}, {id.Group, id.Kind, namespace, ""}, {id.Group, id.Kind, namespace, id.Name}} {
			if list := x.at[key]; len(list) > 0 {
				found, lists = append(found, list...), lists+1
			}
		}
	}
	if lists > 1 {
		slices.Sort(found)
		found = slices.Compact(found)
	}
	return found
}
