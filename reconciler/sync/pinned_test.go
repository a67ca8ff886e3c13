package sync

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/source"
)

// TestPlansAndObjectsShareABuild: the search for RecoveryPlans in a new commit builds it, and the plan uses that build.
func TestPlansAndObjectsShareABuild(t *testing.T) {
	p, revision := newPushes(t), source.ClusterRevision(strings.Repeat("1", 64))
	p.write("a.yaml", settings("a", 1))
	p.write("plan.yaml", "apiVersion: accord.dev/v1alpha1\nkind: RecoveryPlan\nmetadata: {name: shop}\n"+
		"spec: {source: production, standby: eu, active: Standby, revision: \""+revision+"\"}\n")
	commit := p.push().snapshots[0]
	fed := &v1alpha1.Federation{Spec: v1alpha1.FederationSpec{Sources: []v1alpha1.Source{{Name: "shop"}, {Name: "production", Cluster: &v1alpha1.ClusterSource{}}}}}
	builds, x := &Builds{}, NewSources(nil, nil)
	var searched decode.Parts
	x.build = func(_ context.Context, repositories Checkout) (parts decode.Parts, err error) {
		searched, err = repositories.Parts(builds, nil)
		return searched, err
	}
	pins, err := x.pins(t.Context(), fed, map[string]source.Snapshot{"shop": commit})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"production": revision}, pins)

	whole, err := Checkout{sources: fed.Spec.Sources, snapshots: []source.Snapshot{commit, {FS: fstest.MapFS{}}}}.Parts(builds, nil)
	require.NoError(t, err)
	require.Len(t, whole.Objects, 1)
	require.Len(t, searched.Objects, 1)
	require.Same(t, searched.Objects[0].Manifest, whole.Objects[0].Manifest)
	require.Equal(t, searched.Objects, whole.Objects, "both name the source")
}

// TestSwitchesAreEvents: the plan that a switch makes active is an event about the Federation, and no other plan is.
func TestSwitchesAreEvents(t *testing.T) {
	plan := func(active string) *propagate.Plan {
		return &propagate.Plan{Recoveries: []policy.Recovery{{
			Meta: policy.Meta{Name: "shop"}, Spec: policy.RecoverySpec{Source: "production", Standby: "eu", Active: active, Revision: "cluster@sha256:1"},
		}}}
	}
	about, production, standby := &v1alpha1.Federation{}, plan(policy.ProductionSite), plan(policy.StandbySite)
	for _, c := range []struct {
		before, after *propagate.Plan
		want          []changes.Event
	}{
		{nil, standby, nil},
		{standby, standby, nil},
		{production, standby, []changes.Event{{About: about, Type: changes.Normal, Reason: "SwitchedToStandby", Message: "RecoveryPlan shop: eu takes over from production, with its objects at cluster@sha256:1"}}},
		{standby, production, []changes.Event{{About: about, Type: changes.Normal, Reason: "SwitchedToProduction", Message: "RecoveryPlan shop: production is active again, and eu follows it"}}},
	} {
		require.Equal(t, c.want, switches(about, c.before, c.after).Events)
	}
}
