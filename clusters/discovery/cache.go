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

// Cache keeps what clusters serve once for all that serve the same. Those of one version of Kubernetes mostly do, and
// one that is ready to be looked up takes some 200 KiB. What no Member serves any more is forgotten. The zero value
// is ready, and may be used from any goroutine.
type Cache struct {
	mu       sync.Mutex
	catalogs map[digest]weak.Pointer[catalog]
}

// digest identifies a catalog by all that is in it: nobody can make another cluster's answer seem to be theirs.
type digest [sha256.Size]byte

// catalog is what a cluster serves. It never changes.
type catalog struct {
	mapper meta.RESTMapper
	apis   APIs
	// mappings keeps what mapper was asked: it looks at every version of every group each time.
	mappings sync.Map // of *meta.RESTMapping, by schema.GroupVersionKind
}

// mapping takes any version that is served when gvk names none.
func (c *catalog) mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	if known, ok := c.mappings.Load(gvk); ok {
		return known.(*meta.RESTMapping), nil
	}
	var versions []string
	if gvk.Version != "" {
		versions = []string{gvk.Version}
	}
	mapping, err := c.mapper.RESTMapping(gvk.GroupKind(), versions...)
	if err == nil { // what is not served is not kept: there is no end of that
		c.mappings.Store(gvk, mapping)
	}
	return mapping, err
}

// intern is the catalog of an answer: that of another member if it was told the same.
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

// groups is the answer by group and version, with no more of it than is looked up. It is sorted: API servers that serve the
// same say it in any order. Only the order of the versions of a group means something, and stays.
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
			if resources, told := lists[v.GroupVersion]; told {
				all[i].VersionedResources[v.Version] = resources
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *restmapper.APIGroupResources) int { return cmp.Compare(a.Group.Name, b.Group.Name) })
	return all
}

// withoutSubresources are the resources that are no part of another, by name.
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
