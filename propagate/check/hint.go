package check

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
)

// hint returns a correction for the selectors of a policy that selects nothing; empty when no object is similar.
func (r *Review) hint(selectors []policy.ResourceSelector) string {
	for _, s := range selectors {
		if h := r.hintFor(s); h != "" {
			return h
		}
	}
	return ""
}

// hintFor compares in the order in which a selector is matched: kind, namespace, name, labels.
func (r *Review) hintFor(s policy.ResourceSelector) string {
	var here []string // names of the objects that match except for name or labels
	elsewhere := map[string]bool{}
	for _, o := range r.byKind()[kindOf(s)] {
		if s.Namespace != "" && o.ID.Namespace != s.Namespace {
			elsewhere[o.ID.Namespace] = true
			continue
		}
		here = append(here, o.ID.Name)
	}
	switch {
	case s.Name != "" && len(here) > 0:
		if near := manifest.Nearest(s.Name, here); near != "" {
			return fmt.Sprintf("did you mean %q?", near)
		}
		return ""
	case len(here) > 0:
		return r.hintLabels(s)
	case elsewhere[""] && r.unscoped(s):
		return fmt.Sprintf("%s has no namespace; use a cluster-wide policy", s.Kind)
	case elsewhere[""]:
		return fmt.Sprintf("no manifest of a %s names a namespace; use a cluster-wide policy, or write metadata.namespace", s.Kind)
	case len(elsewhere) > 0:
		return fmt.Sprintf("the selector has namespace %s, and %s exists in %s", s.Namespace, s.Kind, phrase.And(slices.Sorted(maps.Keys(elsewhere)), named))
	}
	return r.hintKind(s.Kind)
}

// hintLabels names a requirement that no object meets.
func (r *Review) hintLabels(s policy.ResourceSelector) string {
	selector, err := metav1.LabelSelectorAsSelector(s.LabelSelector)
	if err != nil {
		return ""
	}
	requirements, _ := selector.Requirements()
	for _, need := range requirements {
		if !slices.ContainsFunc(r.near(s), func(o *object) bool { return need.Matches(policy.LabelsOf(o.manifest.Get())) }) {
			return fmt.Sprintf("no %s there has the labels %s", s.Kind, need.String())
		}
	}
	return fmt.Sprintf("no %s there has all of these labels", s.Kind)
}

// hintKind suggests the same kind in another group, or a similar kind.
func (r *Review) hintKind(kind string) string {
	kinds := map[string]schema.GroupVersionKind{}
	for _, o := range r.objects {
		kinds[o.ID.Kind] = o.GVK
	}
	near := manifest.Nearest(kind, slices.Sorted(maps.Keys(kinds)))
	if near == "" {
		return ""
	}
	return fmt.Sprintf("did you mean apiVersion %s, kind %s?", kinds[near].GroupVersion(), near)
}
