package search

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scope has the namespaces whose objects are cached, sorted; empty means all.
type Scope []string

func (s Scope) has(namespace string) bool { return len(s) == 0 || slices.Contains(s, namespace) }

// With returns a scope with the namespaces of both.
func (s Scope) With(other Scope) Scope {
	if len(s) == 0 || len(other) == 0 {
		return nil
	}
	both := append(slices.Clone(s), other...)
	slices.Sort(both)
	return slices.Compact(both)
}

// guess returns the plural name of a kind by the rules of English, until a cluster tells it.
func guess(kind schema.GroupVersionKind) string {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return plural.Resource
}

// path returns the path of the resource on the cluster.
func (c *Cache) path() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := versionPath(c.kind.GroupVersion())
	if c.namespaced && len(c.scope) == 1 {
		path += "/namespaces/" + c.scope[0]
	}
	return path + "/" + c.resource
}

func versionPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.String()
}
