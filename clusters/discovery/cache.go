package discovery

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"weak"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/restmapper"
)

// Cache shares discovery results between clusters that serve the same APIs; most clusters with one version of
// Kubernetes do. A result takes about 200 KiB with its index. The cache drops results that no Member uses any more.
// The zero value is ready to use and safe for concurrent use.
type Cache struct {
	mu       sync.Mutex
	catalogs map[digest]weak.Pointer[catalog]
}

// digest identifies a catalog by its whole content, so no cluster can pass its answer off as another's.
type digest [sha256.Size]byte

// catalog holds the APIs of a cluster. It is immutable.
type catalog struct {
	mapper meta.RESTMapper
	apis   APIs
	// mappings caches the lookups of mapper, which scans every version of every group each time.
	mappings sync.Map // of *meta.RESTMapping, by schema.GroupVersionKind
}

// mapping returns the mapping of a kind, in the preferred version if gvk has none.
func (c *catalog) mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	if known, ok := c.mappings.Load(gvk); ok {
		return known.(*meta.RESTMapping), nil
	}
	var versions []string
	if gvk.Version != "" {
		versions = []string{gvk.Version}
	}
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), versions...)
	if err == nil { // a miss is not cached: there are endlessly many
		c.mappings.Store(gvk, mapping)
	}
	return mapping, err
}

// intern returns the catalog of a response; equal responses share one.
func (c *Cache) intern(a response) *catalog {
	groups, served := a.groups(), a.apis()
	key := digestOf(groups, served)
	c.mu.Lock()
	defer c.mu.Unlock()
	if same := c.catalogs[key].Value(); same != nil {
		return same
	}
	fresh := &catalog{mapper: restmapper.NewDiscoveryRESTMapper(groups), apis: served}
	maps.DeleteFunc(c.catalogs, func(_ digest, p weak.Pointer[catalog]) bool { return p.Value() == nil })
	if c.catalogs == nil {
		c.catalogs = map[digest]weak.Pointer[catalog]{}
	}
	c.catalogs[key] = weak.Make(fresh)
	return fresh
}

func digestOf(groups []*restmapper.APIGroupResources, served APIs) (key digest) {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode([]any{groups, served.Enablements, served.Unavailable}) // strings and booleans always encode
	h.Sum(key[:0])
	return key
}

// groups returns the response by group and version, reduced to the fields that are looked up. Groups and resources
// are sorted, because equal API servers list them in any order. The order of the versions in a group is meaningful
// and stays.
func (a response) groups() []*restmapper.APIGroupResources {
	lists := map[string][]metav1.APIResource{}
	for _, l := range a.resourceLists {
		lists[l.GroupVersion] = withoutSubresources(l.APIResources)
	}
	all := make([]*restmapper.APIGroupResources, len(a.groupList))
	for i, g := range a.groupList {
		group := metav1.APIGroup{Name: g.Name, Versions: g.Versions, PreferredVersion: g.PreferredVersion}
		all[i] = &restmapper.APIGroupResources{Group: group, VersionedResources: map[string][]metav1.APIResource{}}
		for _, v := range g.Versions {
			if resources, ok := lists[v.GroupVersion]; ok {
				all[i].VersionedResources[v.Version] = resources
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *restmapper.APIGroupResources) int { return cmp.Compare(a.Group.Name, b.Group.Name) })
	return all
}

// withoutSubresources returns the resources that are not subresources, sorted by name.
func withoutSubresources(resources []metav1.APIResource) []metav1.APIResource {
	all := make([]metav1.APIResource, 0, len(resources))
	for _, r := range resources {
		if !strings.Contains(r.Name, "/") {
			all = append(all, metav1.APIResource{Name: r.Name, SingularName: r.SingularName, Kind: r.Kind, Namespaced: r.Namespaced})
		}
	}
	slices.SortStableFunc(all, func(a, b metav1.APIResource) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
