package propagate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// hint says what the selectors of a policy that selects nothing were probably meant to be; empty when nothing is near.
func (p *Plan) hint(selectors []policy.ResourceSelector) string {
	for _, s := range selectors {
		if h := p.hintFor(s); h != "" {
			return h
		}
	}
	return ""
}

// hintFor asks what does not fit, in the order in which a selector is matched: kind, namespace, name.
func (p *Plan) hintFor(s policy.ResourceSelector) string {
	var here []string // names of the objects that only the name or the labels keep from matching
	elsewhere := map[string]bool{}
	gk := schema.FromAPIVersionAndKind(s.APIVersion, s.Kind).GroupKind()
	for i := range p.Decisions {
		switch id := p.Decisions[i].ID; {
		case id.GroupKind() != gk:
		case s.Namespace != "" && id.Namespace != s.Namespace:
			elsewhere[id.Namespace] = true
		default:
			here = append(here, id.Name)
		}
	}
	switch {
	case len(here) > 0:
		return manifest.DidYouMean(s.Name, here)
	case elsewhere[""]:
		return fmt.Sprintf("; %s has no namespace, which takes a Cluster... policy", s.Kind)
	case len(elsewhere) > 0:
		namespaces := slices.Sorted(maps.Keys(elsewhere))
		return fmt.Sprintf("; it looks in namespace %s, and there is %s in %s", s.Namespace, s.Kind, strings.Join(namespaces[:min(3, len(namespaces))], ", "))
	}
	return p.hintKind(s.Kind)
}

// hintKind is for a kind that is nowhere: the same name in another group, or a name like it.
func (p *Plan) hintKind(kind string) string {
	kinds := map[string]schema.GroupVersionKind{}
	for i := range p.Decisions {
		kinds[p.Decisions[i].ID.Kind] = p.Decisions[i].GVK
	}
	near := manifest.Nearest(kind, slices.Collect(maps.Keys(kinds)))
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean apiVersion %s, kind %s?", kinds[near].GroupVersion(), near)
}
