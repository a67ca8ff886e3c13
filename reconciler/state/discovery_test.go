package state

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// TestDiscovered: what clusters have counts as placed there, for the next plan and for no later one.
func TestDiscovered(t *testing.T) {
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	f := New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}, NewRegistry(reachability.NewTracker()), nil)
	f.Discover("b", []live.Discovered{{ID: web, Replicas: new(int32(3))}})
	f.Discover("a", []live.Discovered{{ID: web, Replicas: new(int32(2))}})
	want := []*previous.Decision{{ID: web, Clusters: []previous.Cluster{{Name: "a", Replicas: new(int32(2))}, {Name: "b", Replicas: new(int32(3))}}}}
	require.False(t, f.Unplanned(), "the first plan will know")
	require.Equal(t, want, f.Previous())
	require.Equal(t, want, f.Previous(), "the plan was not activated")

	f.active.plan = &propagate.Plan{}
	require.Empty(t, f.Previous(), "the active plan knows it")
	require.False(t, f.Unplanned())
	f.Discover("c", []live.Discovered{{ID: web}})
	require.True(t, f.Unplanned())
	require.Equal(t, []*previous.Decision{{ID: web, Clusters: []previous.Cluster{{Name: "c"}}}}, f.Previous(), "a cluster that answers later")
	require.True(t, f.Unplanned(), "the plan failed: the next one has to be made, although nothing else changes")
	f.newest.pending = &activation.Pending{Plan: &propagate.Plan{}}
	require.False(t, f.Unplanned(), "the plan waits for approval")
	f.newest.pending = nil
	f.active.plan = &propagate.Plan{}
	require.False(t, f.Unplanned())
}

// Objects that were discovered, and that nobody wants, leave their cluster also if the delivery that found them ended before it wrote anything:
// another plan cancelled it, or a request failed. No later one asks the cluster.
func TestDiscoveredObjectsOutliveTheDeliveryThatFoundThem(t *testing.T) {
	old := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "old"}
	for _, end := range []func(*Federation, delivery.Job){
		func(f *Federation, j delivery.Job) {
			f.Conclude(j, delivery.Result{Error: "the hub did not answer"}, time.Now())
		},
		func(f *Federation, j delivery.Job) { f.Conclude(j, delivery.Result{Cancelled: true}, time.Now()) },
	} {
		p := newPulled(t)
		f := p.f
		f.clusters[p.cluster].SetInventory(nil)
		f.Discover(p.cluster, []live.Discovered{{ID: old}})
		f.Previous()
		f.active.plan = &propagate.Plan{}
		j, ok := f.Begin(p.cluster, func() {})
		require.True(t, ok)
		require.Zero(t, j.Inventory.Len())
		require.True(t, f.AcceptDiscovered(j))
		end(f, j)

		j, ok = f.Begin(p.cluster, func() {})
		require.True(t, ok)
		require.Equal(t, []string{old.Entry()}, j.Inventory.Entries())
	}
}

// A hub without a record of a cluster in pull mode asks its agent, also if the plan has nothing for the cluster. The next plan knows the
// objects, and the bundle names them: those that nobody wants leave the cluster.
func TestAgentsAreAskedForObjectsWithoutARecord(t *testing.T) {
	p := newPulled(t)
	f, idle := p.f, p.clusters[1]
	f.registry.SetAgent(idle, true)
	l := delivery.New(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: idle}}, nil)
	f.clusters[idle] = l
	require.False(t, f.Unrecorded(p.cluster), "its agent finds the objects itself")
	require.True(t, f.Unrecorded(idle))
	l.Report = &v1alpha1.DeliveryReport{}
	require.False(t, f.Unrecorded(idle), "its agent has reported")
	l.Report = nil

	part, err := f.BundlePart(idle, 1, &bundle.Encoder{}, bundle.Contents{})
	require.NoError(t, err)
	require.Nil(t, part, "the agent does not know the Federation")
	old := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "old"}
	require.True(t, f.Learn(idle, []v1alpha1.DiscoveredObject{{Object: old.Entry()}}))
	require.False(t, f.Unrecorded(idle))
	l.Recall(f.discovered.Settle(idle, f.active.plan))
	require.Empty(t, l.Inventory(), "the plan was made without it")
	f.Previous()
	l.Recall(f.discovered.Settle(idle, &propagate.Plan{}))
	l.Delivery.UID = "uid"
	part, err = f.BundlePart(idle, 2, &bundle.Encoder{}, bundle.Contents{})
	require.NoError(t, err)
	require.Equal(t, []string{old.Entry()}, part.Inventory)
	require.Equal(t, []bundle.Leaving{{Entry: old.Entry()}}, part.Leaving)

	empty := delivery.New(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: "later"}}, nil)
	f.registry.SetAgent(empty.Name, true)
	f.clusters[empty.Name] = empty
	require.False(t, f.Learn(empty.Name, nil), "no plan has to know nothing")
	empty.Recall(f.discovered.Settle(empty.Name, f.active.plan))
	require.False(t, f.Unrecorded(empty.Name), "it is not asked again")
	require.NotContains(t, f.discovered, empty.Name)

	n := New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "new"}}, f.registry, nil)
	require.True(t, n.Unrecorded(idle), "before the first plan")
	require.False(t, n.Learn(idle, []v1alpha1.DiscoveredObject{{Object: old.Entry()}}), "the first plan will know")
}

// The executor of a cluster lists it only when it has the inventory, which it takes from the count of the Delivery: the hub may not wait for
// the list before it writes the count.
func TestTheCountOfDiscoveredObjectsIsWrittenBeforeTheClusterIsListed(t *testing.T) {
	p := newPulled(t)
	l := p.f.clusters[p.cluster]
	p.f.registry.RecordBeat(p.cluster, 0, time.Now())
	p.f.registry.RecordProbe(p.cluster, reachability.Probe{Known: true, At: time.Now()})
	l.Listed = false
	p.fetch()
	r := p.report()
	require.False(t, r.Status.Synced)
	r.Status.DiscoveredObjects = []v1alpha1.DiscoveredObject{{Object: l.Target.Objects[0].ID.Entry()}}
	compute := func() delivery.Write {
		p.f.ComputeDelivery(p.cluster, time.Now())
		return p.f.TakeDelivery(p.cluster)
	}
	require.Len(t, p.f.IngestReport(r, time.Now()).Replan, 1)
	require.Nil(t, compute().Delivery, "the plan was made without them")

	p.f.Previous() // for the next plan
	p.f.active.plan = &propagate.Plan{}
	p.f.IngestReport(r, time.Now())
	w := compute()
	require.True(t, w.Status)
	require.EqualValues(t, 1, w.Delivery.Status.InventoryCount)
	require.Empty(t, w.Delivery.Status.Conditions, "nothing else is known")
	require.Nil(t, compute().Delivery, "it is written once")
}
