package override

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
)

// Set has the overrides of a fleet and knows which rules apply on which clusters, so that a caller renders an object
// once for all clusters with the same rules. It never changes.
type Set struct {
	all       []*policy.Override
	clusters  []fleet.Cluster
	selectors policy.SelectorIndex
	relabels  []bool // by override: can it change labels?
	// applies[override][rule][cluster]
	applies [][][]bool
}

// NewSet returns the set of overrides, in any order. The caller must not change them afterwards.
func NewSet(all []*policy.Override, clusters []fleet.Cluster) *Set {
	return newSet(all, clusters, &Set{})
}

// Next returns the set of other overrides for the same fleet; s itself if all are equal.
func (s *Set) Next(all []*policy.Override) *Set {
	if slices.EqualFunc(all, s.all, (*policy.Override).Equal) {
		return s
	}
	return newSet(slices.Clone(all), s.clusters, s)
}

// newSet returns a set of overrides. It takes over where the equal ones of an earlier set for the same fleet apply.
func newSet(all []*policy.Override, clusters []fleet.Cluster, earlier *Set) *Set {
	s := &Set{all: all, clusters: clusters, applies: make([][][]bool, len(all)), relabels: make([]bool, len(all))}
	matching := s.Matching(earlier, (*policy.Override).Equal)
	for i, o := range all {
		s.relabels[i] = relabels(o)
		s.selectors.Add(i, o.Namespace, o.Spec.ResourceSelectors)
		if j := matching[i]; j >= 0 {
			s.applies[i] = earlier.applies[j]
			continue
		}
		for rule := range o.Spec.OverrideRules {
			on := make([]bool, len(clusters))
			for c := range clusters {
				on[c] = isFor(&o.Spec.OverrideRules[rule], clusters[c])
			}
			s.applies[i] = append(s.applies[i], on)
		}
	}
	return s
}

// Has reports whether there is an override of this name; the namespace "" has the cluster-wide ones.
func (s *Set) Has(namespace, name string) bool {
	return slices.ContainsFunc(s.all, func(o *policy.Override) bool { return o.Namespace == namespace && o.Name == name })
}

// SameTitles reports whether both sets have overrides of the same names, in the same order.
func (s *Set) SameTitles(other *Set) bool {
	return s == other || slices.EqualFunc(s.all, other.all, func(a, b *policy.Override) bool { return a == b || a.Title() == b.Title() })
}

// Matching returns for every override of the set the index of the equal one of an earlier set with the same title; -1
// for none.
func (s *Set) Matching(earlier *Set, equal func(a, b *policy.Override) bool) []int {
	matching := make([]int, len(s.all))
	if s == earlier {
		for i := range matching {
			matching[i] = i
		}
		return matching
	}
	byTitle := map[string]int{}
	for i := range earlier.all {
		byTitle[earlier.all[i].Title()] = i
	}
	for i := range s.all {
		j, found := byTitle[s.all[i].Title()]
		if matching[i] = -1; found && equal(earlier.all[j], s.all[i]) {
			matching[i] = j
		}
	}
	return matching
}

// Candidates returns the indexes of the overrides that may select u. Fewer candidates mean that more clusters share a
// result. Labels count unless a cluster-wide override that selects u changes labels: a namespaced override selects by
// the changed ones (Karmada §3.2).
func (s *Set) Candidates(u *unstructured.Unstructured) []int {
	var found, local []int
	relabelled := false
	for _, i := range s.selectors.Candidates(manifest.IDOf(u)) {
		switch o := s.all[i]; {
		case !o.ClusterWide():
			local = append(local, i)
		case selects(o, u):
			found = append(found, i)
			relabelled = relabelled || s.relabels[i]
		}
	}
	for _, i := range local {
		if relabelled && maySelect(s.all[i], u) || !relabelled && selects(s.all[i], u) {
			found = append(found, i)
		}
	}
	return found
}

// MaySelect reports whether the override of this index selects u with any labels.
func (s *Set) MaySelect(override int, u *unstructured.Unstructured) bool {
	return maySelect(s.all[override], u)
}

// Key appends one byte for every rule of the candidates: does it apply on the cluster?
func (s *Set) Key(b []byte, candidates []int, cluster int) []byte {
	for _, c := range candidates {
		for _, applies := range s.applies[c] {
			if applies[cluster] {
				b = append(b, 'y')
			} else {
				b = append(b, 'n')
			}
		}
	}
	return b
}

// Contents returns for every override of the set a digest of its content, with its name and its place in Git.
func (s *Set) Contents() ([][sha256.Size]byte, error) {
	all := make([][sha256.Size]byte, len(s.all))
	for i := range s.all {
		text, err := json.Marshal(s.all[i])
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", s.all[i].Title(), err)
		}
		all[i] = sha256.Sum256(text)
	}
	return all, nil
}

// Apply is the function Apply with the candidates of u, for the cluster of this index.
func (s *Set) Apply(u *unstructured.Unstructured, candidates []int, cluster int) ([]Edit, error) {
	return applied(u, s.pick(candidates), func(override, rule int) bool { return s.applies[candidates[override]][rule][cluster] })
}

// Trace is the function Trace with the candidates of u.
func (s *Set) Trace(u *unstructured.Unstructured, candidates []int, c fleet.Cluster) ([]Step, error) {
	return Trace(u, c, s.pick(candidates))
}

func (s *Set) pick(candidates []int) []*policy.Override {
	picked := make([]*policy.Override, len(candidates))
	for i, c := range candidates {
		picked[i] = s.all[c]
	}
	return picked
}

// selects reports whether an override selects u as it is.
func selects(o *policy.Override, u *unstructured.Unstructured) bool {
	return reaches(o, u) && priority(o.Spec.ResourceSelectors, u) != policy.NoMatch
}

// maySelect reports whether an override selects u with any labels.
func maySelect(o *policy.Override, u *unstructured.Unstructured) bool {
	return reaches(o, u) && (len(o.Spec.ResourceSelectors) == 0 ||
		slices.ContainsFunc(o.Spec.ResourceSelectors, func(s policy.ResourceSelector) bool {
			s.LabelSelector = nil
			return s.Match(u) != policy.NoMatch
		}))
}

// reaches reports whether an override is cluster-wide or in the namespace of u.
func reaches(o *policy.Override, u *unstructured.Unstructured) bool {
	return o.ClusterWide() || o.Namespace == u.GetNamespace()
}

// relabels reports whether an override can change the labels of the objects it selects.
func relabels(o *policy.Override) bool {
	return slices.ContainsFunc(o.Spec.OverrideRules, func(r policy.OverrideRule) bool {
		return len(r.Overriders.LabelsOverrider) > 0 || slices.ContainsFunc(r.Overriders.Plaintext, func(p policy.PlaintextOverrider) bool {
			return p.Path == "" || p.Path == "/metadata" || strings.HasPrefix(p.Path, "/metadata/labels")
		})
	})
}
