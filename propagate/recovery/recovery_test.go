package recovery_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate/recovery"
)

var revision = "cluster@sha256:" + strings.Repeat("a", 64)

func plan(name, source, standby, active string, overrides ...policy.PassiveOverride) policy.Recovery {
	p := policy.Recovery{Meta: policy.Meta{Name: name}, Spec: policy.RecoverySpec{Source: source, Standby: standby, Active: active, PassiveOverrides: overrides}}
	if active == policy.StandbySite {
		p.Spec.Revision = revision
	}
	return p
}

// override has a rule for the clusters with these names; without names for all.
func override(namespace, name string, clusters ...string) *policy.Override {
	o := &policy.Override{Meta: policy.Meta{Namespace: namespace, Name: name}, Spec: policy.OverrideSpec{OverrideRules: []policy.OverrideRule{{}}}}
	if len(clusters) > 0 {
		o.Spec.OverrideRules[0].TargetCluster = &policy.ClusterAffinity{ClusterNames: clusters, Exclude: []string{"x"}}
	}
	return o
}

func TestOverrides(t *testing.T) {
	zero := policy.PassiveOverride{Kind: "ClusterOverridePolicy", Name: "zero"}
	other := policy.PassiveOverride{Kind: "OverridePolicy", Namespace: "shop", Name: "zero"}
	for _, c := range []struct {
		name    string
		plans   []policy.Recovery
		records []string // titles
		exclude map[string][]string
		err     string
	}{
		{name: "without a plan nothing changes"},
		{name: "production is active", plans: []policy.Recovery{plan("a", "p", "s", policy.ProductionSite, zero)}, records: []string{"ClusterOverridePolicy zero"}},
		{
			name: "the standby is active", plans: []policy.Recovery{plan("a", "p", "s", policy.StandbySite, zero, other)},
			exclude: map[string][]string{"ClusterOverridePolicy zero": {"x", "s"}, "OverridePolicy shop/zero": {"s"}},
		},
		{
			name:    "one of two standbys is active",
			plans:   []policy.Recovery{plan("a", "p", "s", policy.StandbySite, zero), plan("b", "q", "t", policy.ProductionSite, zero)},
			records: []string{"ClusterOverridePolicy zero"}, exclude: map[string][]string{"ClusterOverridePolicy zero": {"x", "s"}},
		},
		{
			name:    "two standbys are active",
			plans:   []policy.Recovery{plan("a", "p", "s", policy.StandbySite, zero), plan("b", "q", "t", policy.StandbySite, zero)},
			exclude: map[string][]string{"ClusterOverridePolicy zero": {"x", "s", "t"}},
		},
		{
			name: "an override that does not exist", plans: []policy.Recovery{plan("a", "p", "s", policy.ProductionSite, policy.PassiveOverride{Kind: "OverridePolicy", Namespace: "shop", Name: "one"})},
			err: "RecoveryPlan a: there is no OverridePolicy shop/one; the standby would not stay passive",
		},
		{
			name: "two plans for one standby", plans: []policy.Recovery{plan("a", "p", "s", policy.ProductionSite), plan("b", "q", "s", policy.StandbySite)},
			err: "RecoveryPlan b: spec.standby is s, as in RecoveryPlan a; write one RecoveryPlan for both",
		},
		{
			name: "two plans for one source", plans: []policy.Recovery{plan("a", "p", "s", policy.ProductionSite), plan("b", "p", "t", policy.StandbySite)},
			err: "RecoveryPlan b: spec.source is p, as in RecoveryPlan a; write one RecoveryPlan for both",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			given := []*policy.Override{override("", "zero", "s", "t"), override("shop", "zero"), override("shop", "kept", "s")}
			got, err := recovery.Overrides(c.plans, given)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []*policy.Override{override("", "zero", "s", "t"), override("shop", "zero"), override("shop", "kept", "s")}, given, "the caller keeps its own")
			var records []string
			exclude := map[string][]string{}
			for i, o := range got {
				if o.RecordsReplicas {
					records = append(records, o.Title())
				}
				if target := o.Spec.OverrideRules[0].TargetCluster; target != nil && len(target.Exclude) > 0 && (given[i].Spec.OverrideRules[0].TargetCluster == nil || len(target.Exclude) > 1) {
					exclude[o.Title()] = target.Exclude
				}
			}
			require.Equal(t, c.records, records)
			if c.exclude == nil {
				c.exclude = map[string][]string{}
			}
			require.Equal(t, c.exclude, exclude)
		})
	}
}

func TestPinned(t *testing.T) {
	plans := []policy.Recovery{plan("a", "p", "s", policy.ProductionSite), plan("b", "q", "t", policy.StandbySite)}
	require.Empty(t, recovery.Pinned(plans, "p"))
	require.Equal(t, revision, recovery.Pinned(plans, "q"))
	require.Empty(t, recovery.Pinned(plans, "r"))
}

func TestUnknownSources(t *testing.T) {
	plans := []policy.Recovery{plan("a", "prodution", "s", policy.ProductionSite)}
	require.NoError(t, recovery.UnknownSources(plans, []string{"prodution"}))
	require.ErrorContains(t, recovery.UnknownSources(plans, []string{"production"}), `RecoveryPlan a: spec.source is "prodution", which is no live cluster in spec.sources of the Federation; did you mean "production"?`)
}

func TestSwitched(t *testing.T) {
	before := []policy.Recovery{plan("a", "p", "s", policy.ProductionSite), plan("b", "q", "t", policy.StandbySite), plan("gone", "x", "u", policy.StandbySite)}
	after := []policy.Recovery{plan("a", "p", "s", policy.StandbySite), plan("b", "q", "t", policy.StandbySite), plan("new", "y", "v", policy.StandbySite)}
	require.Equal(t, after[:1], recovery.Switched(before, after))
	require.Equal(t, before[:1], recovery.Switched(after, before))
}
