package delivery

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/permit"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/wanted"
	"github.com/accord-dev/accord/status"
)

// TestHostileStrangers observes more objects with accord's label than accord keeps.
func TestHostileStrangers(t *testing.T) {
	named := func(name string) manifest.ID { return manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: name} }
	d := &v1alpha1.Delivery{}
	l := &State{Name: "eu-1", Record: Record{Delivery: d}, Desired: Desired{Wants: wanted.Objects{}}}
	l.SetInventory([]string{named("ours").Entry(), named("pruned-soon").Entry()})
	l.Wants.Set(named("ours"), wanted.Object{Digest: "sha256:1"})
	var c changes.Changes
	observe := func(name string) bool {
		if !l.Admit(&c, named(name)) {
			return false
		}
		l.Live.Put(named(name), live.Object{})
		return true
	}
	kept := 0
	for i := range 5000 {
		if observe(fmt.Sprint("stranger-", i)) {
			kept++
		}
	}
	require.Equal(t, 2+10*2+1000, kept)
	require.Len(t, c.Events, 1)
	require.Equal(t, "LabelledObjectsIgnored", c.Events[0].Reason)
	require.Contains(t, c.Events[0].Message, "cluster eu-1 has more than 1022 objects with the label of this Federation, of which 2 are accord's")

	require.True(t, observe("ours"), "a wanted object")
	require.True(t, observe("pruned-soon"), "an object of the inventory")
	require.True(t, observe("stranger-7"), "it changed")
	require.False(t, observe("stranger-4000"))

	for i := range 900 {
		l.Live.Delete(named(fmt.Sprint("stranger-", i)))
	}
	require.True(t, observe("stranger-4000"), "there is room again")
	for i := range 5000 {
		observe(fmt.Sprint("more-", i))
	}
	require.Len(t, c.Events, 2, "the next time is another event")
}

// TestPruneLimitsCountReportedObjects: the prune limits count the objects of a cluster that another replica or an agent executes, and no
// strangers among them.
func TestPruneLimitsCountReportedObjects(t *testing.T) {
	named := func(name string) manifest.ID { return manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: name} }
	executor, leader := New(&v1alpha1.Delivery{}, live.Proven{}), New(&v1alpha1.Delivery{}, live.Proven{})
	executor.Note(named("ours"), live.Object{Digest: "d1", Labels: map[string]string{"app": "a"}, Fields: ownership.Hash{7}}, nil, status.Report{Digest: "d1"})
	executor.Note(named("stranger"), live.Object{}, nil, status.Report{})
	executor.Note(named("owned"), live.Object{Fields: ownership.Hash{7}, Controller: "Deployment web"}, nil, status.Report{})
	leader.Ingest(&v1alpha1.DeliveryReport{Status: executor.reportStatus()})
	want := permit.Delivered{Count: 1, Unwanted: map[manifest.ID]map[string]string{named("ours"): {"app": "a"}}}
	require.Equal(t, want, executor.Delivered(propagate.ClusterPlan{Objects: []propagate.Placed{{Rendered: &propagate.Rendered{ID: named("other")}}}}))
	require.Equal(t, want, leader.Delivered(propagate.ClusterPlan{Objects: []propagate.Placed{{Rendered: &propagate.Rendered{ID: named("other")}}}}))
}

// TestStrangersPage compares docs/concepts/security.md with the constants of this package.
func TestStrangersPage(t *testing.T) {
	require.Equal(t, []any{10, 1000}, []any{strangersPerObject, strangersBeside})
	golden.Quote(t, "../../../docs/concepts/security.md", "ten for each object of the inventory and 1,000 beside them")
}
