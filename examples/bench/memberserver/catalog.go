package memberserver

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Answers of a real API server to discovery. A test compares them, and rewrites them with -update.
var (
	//go:embed discovery/api.json
	coreAnswer []byte
	//go:embed discovery/apis.json
	groupsAnswer []byte
	//go:embed discovery/version.json
	versionAnswer []byte
)

// servedVerbs are those of the verbs of a real API server that exist here.
var servedVerbs = []string{"create", "delete", "get", "list", "patch", "watch"}

// catalog lists the kinds that are served: by group, as discovery shows them, and by address.
type catalog struct {
	core, groups apidiscovery.APIGroupDiscoveryList
	resources    map[schema.GroupVersionResource]resource
}

// resource is one kind and where it is.
type resource struct {
	schema.GroupVersionResource
	kind       schema.GroupVersionKind
	namespaced bool
}

func readCatalog() (catalog, error) {
	c := catalog{resources: map[schema.GroupVersionResource]resource{}}
	for _, answer := range []struct {
		text []byte
		list *apidiscovery.APIGroupDiscoveryList
	}{{coreAnswer, &c.core}, {groupsAnswer, &c.groups}} {
		if err := json.Unmarshal(answer.text, answer.list); err != nil {
			return c, fmt.Errorf("reading the answer to discovery: %w", err)
		}
		for i := range answer.list.Items {
			c.add(&answer.list.Items[i])
		}
	}
	return c, nil
}

// add adds the kinds of a group to the catalog, and removes from the group the kinds and verbs that do not exist here.
func (c *catalog) add(group *apidiscovery.APIGroupDiscovery) {
	for i := range group.Versions {
		v := &group.Versions[i]
		gv := schema.GroupVersion{Group: group.Name, Version: v.Version}
		v.Resources = slices.DeleteFunc(v.Resources, func(r apidiscovery.APIResourceDiscovery) bool { return !slices.Contains(r.Verbs, "list") })
		for j := range v.Resources {
			r := &v.Resources[j]
			r.Subresources = nil
			r.Verbs = slices.DeleteFunc(r.Verbs, func(verb string) bool { return !slices.Contains(servedVerbs, verb) })
			gvr := gv.WithResource(r.Resource)
			c.resources[gvr] = resource{gvr, gv.WithKind(r.ResponseKind.Kind), r.Scope == apidiscovery.ScopeNamespace}
		}
	}
}

// list returns the unaggregated discovery of one group and version; nil if there is none.
func (c *catalog) list(gv schema.GroupVersion) *metav1.APIResourceList {
	for _, group := range slices.Concat(c.core.Items, c.groups.Items) {
		for _, v := range group.Versions {
			if group.Name == gv.Group && v.Version == gv.Version {
				return resourceList(gv, v.Resources)
			}
		}
	}
	return nil
}

func resourceList(gv schema.GroupVersion, resources []apidiscovery.APIResourceDiscovery) *metav1.APIResourceList {
	list := &metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String(), APIResources: []metav1.APIResource{},
	}
	for _, r := range resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: r.Resource, SingularName: r.SingularResource, Kind: r.ResponseKind.Kind, Namespaced: r.Scope == apidiscovery.ScopeNamespace,
			Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
		})
	}
	return list
}

// groupList returns the unaggregated discovery of the groups.
func (c *catalog) groupList() *metav1.APIGroupList {
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, group := range c.groups.Items {
		g := metav1.APIGroup{Name: group.Name}
		for _, v := range group.Versions {
			gv := schema.GroupVersion{Group: group.Name, Version: v.Version}
			g.Versions = append(g.Versions, metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: v.Version})
		}
		g.PreferredVersion = g.Versions[0]
		list.Groups = append(list.Groups, g)
	}
	return list
}
