package claim

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// TestIndexedIsSearched: an index that looks at a part of the policies finds the same winners as a search through all policies.
func TestIndexedIsSearched(t *testing.T) {
	found := 0
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		policies := make([]*policy.Policy, random.IntN(12))
		for i := range policies {
			policies[i] = randomPolicy(random, i)
		}
		x := NewIndex(policies)
		for range 6 {
			u := randomObject(random)
			ranked := search(policies, u)
			var names []string
			for _, p := range x.Selecting(manifest.IDOf(u), manifest.Whole(u)) {
				names = append(names, p.Title())
			}
			require.Equal(t, titles(ranked, policy.MatchKind), names, "seed %d", seed)
			require.Equal(t, first(titles(ranked, policy.MatchKind)), title(x.Winner(manifest.IDOf(u), manifest.Whole(u))), "seed %d", seed)
			require.Equal(t, first(titles(ranked, policy.MatchName)), title(x.Naming(manifest.IDOf(u), manifest.Whole(u))), "seed %d", seed)
			found += len(names)
		}
	}
	require.Greater(t, found, 5_000, "the policies select objects")
}

func randomPolicy(random *rand.Rand, i int) *policy.Policy {
	p := &policy.Policy{}
	p.Name, p.Namespace = fmt.Sprint("p", i), pick(random, "", "", "a", "b")
	if random.IntN(3) == 0 {
		p.Spec.Priority = ptr.To(random.Int32N(3))
	}
	for range 1 + random.IntN(3) {
		s := policy.ResourceSelector{
			APIVersion: pick(random, "v1", "apps/v1", "apps/v1beta1"), Kind: pick(random, "ConfigMap", "Deployment"),
			Namespace: pick(random, "", "", "a", "b"), Name: pick(random, "", "", "x", "y"),
		}
		if s.Name == "" && random.IntN(3) == 0 {
			s.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(random, "x", "y")}}
		}
		p.Spec.ResourceSelectors = append(p.Spec.ResourceSelectors, s)
	}
	return p
}

func randomObject(random *rand.Rand) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(pick(random, "v1", "apps/v1"))
	u.SetKind(pick(random, "ConfigMap", "Deployment"))
	u.SetNamespace(pick(random, "", "a", "b"))
	u.SetName(pick(random, "x", "y", "z"))
	u.SetLabels(map[string]string{"app": pick(random, "x", "y", "z")})
	return u
}

func pick(random *rand.Rand, of ...string) string { return of[random.IntN(len(of))] }

// ranked is a policy with the precision of its best selector.
type ranked struct {
	*policy.Policy
	match int
}

// search looks at every policy, and sorts those that select u as Karmada 2.2 does.
func search(policies []*policy.Policy, u *unstructured.Unstructured) []ranked {
	var all []ranked
	for _, p := range policies {
		if p.Namespace != "" && p.Namespace != u.GetNamespace() {
			continue
		}
		best := policy.NoMatch
		for _, s := range p.Spec.ResourceSelectors {
			best = max(best, s.Match(u))
		}
		if best > policy.NoMatch {
			all = append(all, ranked{p, best})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(
			cmp.Compare(tier(a), tier(b)), cmp.Compare(ptr.Deref(b.Spec.Priority, 0), ptr.Deref(a.Spec.Priority, 0)),
			cmp.Compare(b.match, a.match), cmp.Compare(a.Name, b.Name),
		)
	})
	return all
}

// tier is 0 for a policy of a namespace and 1 for a cluster-wide one.
func tier(p ranked) int {
	if p.Namespace == "" {
		return 1
	}
	return 0
}

// titles returns the policies whose precision is at least least.
func titles(all []ranked, least int) []string {
	var names []string
	for _, p := range all {
		if p.match >= least {
			names = append(names, p.Title())
		}
	}
	return names
}

func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

func title(p *policy.Policy) string {
	if p == nil {
		return ""
	}
	return p.Title()
}
