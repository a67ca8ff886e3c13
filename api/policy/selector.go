package policy

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/accord-dev/accord/api/manifest"
)

// Implicit priorities: the precision with which a selector names an object (Karmada §2.1). The larger one wins.
const (
	NoMatch    = 0
	MatchKind  = 1 // only by kind (and namespace)
	MatchLabel = 2 // by labels; the empty labelSelector {} counts as one
	MatchName  = 3 // by name
)

// BestMatch returns the highest implicit priority with which one of the selectors matches u, NoMatch if none does.
func BestMatch(selectors []ResourceSelector, u *unstructured.Unstructured) int {
	return BestMatchOf(selectors, manifest.IDOf(u), manifest.Whole(u))
}

// BestMatchOf is BestMatch for an object whose ID is known. It decodes the manifest only for a selector with labels.
func BestMatchOf(selectors []ResourceSelector, id manifest.ID, m *manifest.Packed) int {
	best := NoMatch
	for _, s := range selectors {
		best = max(best, s.MatchOf(id, m))
	}
	return best
}

// Match returns the implicit priority with which the selector matches u, NoMatch if it does not (Karmada §2.1).
// Unlike in Karmada, versions are ignored: "apps/v1" selects every version of group apps, because a manifest with a
// newer version is still the same object. An invalid label selector matches nothing.
func (s ResourceSelector) Match(u *unstructured.Unstructured) int {
	return s.MatchOf(manifest.IDOf(u), manifest.Whole(u))
}

// MatchOf is Match for an object whose ID is known. It decodes the manifest only for a selector with labels.
func (s ResourceSelector) MatchOf(id manifest.ID, m *manifest.Packed) int {
	if s.Kind != id.Kind || group(s.APIVersion) != id.Group || s.Namespace != "" && s.Namespace != id.Namespace {
		return NoMatch
	}
	switch {
	case s.Name != "" && s.Name == id.Name:
		return MatchName
	case s.Name != "":
		return NoMatch
	case s.LabelSelector == nil:
		return MatchKind
	}
	selector, err := metav1.LabelSelectorAsSelector(s.LabelSelector)
	if err != nil || !selector.Matches(LabelsOf(m.Get())) {
		return NoMatch
	}
	return MatchLabel
}

// LabelsOf returns the labels that selectors see: those of the manifest, and for a Namespace kubernetes.io/metadata.name,
// which every API server sets.
func LabelsOf(u *unstructured.Unstructured) labels.Set {
	all := u.GetLabels() // a copy
	if u.GetKind() == "Namespace" && group(u.GetAPIVersion()) == "" {
		if all == nil {
			all = map[string]string{}
		}
		all[corev1.LabelMetadataName] = u.GetName()
	}
	return all
}

// group returns the group of an apiVersion; empty for the core group.
func group(apiVersion string) string {
	name, _, named := strings.Cut(apiVersion, "/")
	if !named {
		return ""
	}
	return name
}
