package state

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/status"
)

// pulled is a Federation on the hub, and as the agent of its first cluster knows it.
type pulled struct {
	*scale
	cluster string
	agent   *Federation
	// sequence of the last index.
	sequence uint64
}

func newPulled(t *testing.T) *pulled {
	s := newScale(t, 3, 2)
	s.plans()
	s.adopts()
	p := &pulled{scale: s, cluster: s.clusters[0]}
	s.f.registry.SetAgent(p.cluster, true)
	l := s.f.clusters[p.cluster]
	l.Delivery.UID, l.Delivery.Generation = "uid", 1
	registry := NewRegistry(reachability.NewSharedTracker(reachability.Agent(p.cluster), reachability.Sole{}))
	registry.SetReachability(p.cluster, reachability.State{})
	p.agent = New(&v1alpha1.Federation{}, registry, nil)
	p.agent.key = s.f.key
	return p
}

// fetch passes the part of the bundle to the agent.
func (p *pulled) fetch() (c []string, part *bundle.Part) {
	p.t.Helper()
	all := bundle.Contents{}
	p.sequence++
	sent, err := p.f.BundlePart(p.cluster, p.sequence, &bundle.Encoder{}, all)
	require.NoError(p.t, err)
	text, err := json.Marshal(sent)
	require.NoError(p.t, err)
	part = &bundle.Part{}
	require.NoError(p.t, json.Unmarshal(text, part))
	x := bundle.Execution{Part: part}
	x.Target, err = part.Target(p.cluster, all, nil)
	require.NoError(p.t, err)
	x.Interpreters, err = part.Interpreters(all, scripts.Interpreters{})
	require.NoError(p.t, err)
	next, _ := p.agent.Execute(p.cluster, x, time.Now())
	for _, d := range next.Deliveries {
		c = append(c, d.Cluster)
	}
	return c, part
}

// deliver runs a delivery at the agent that applies everything, and passes the report to the hub.
func (p *pulled) deliver() delivery.Job {
	p.t.Helper()
	job, ok := p.agent.Begin(p.cluster, func() {})
	require.True(p.t, ok)
	p.agent.Listed(job, job.Kinds())
	var inventory []string
	for _, o := range job.Target.Objects {
		p.agent.observe(p.cluster, p.live(o.Rendered, time.Now()))
		inventory = append(inventory, o.ID.Entry())
	}
	p.agent.Conclude(job, delivery.Result{Inventory: inventory}, time.Now())
	p.f.IngestReport(p.report(), time.Now())
	return job
}

// report returns what the agent reports now.
func (p *pulled) report() *v1alpha1.DeliveryReport {
	p.t.Helper()
	report, _, _ := p.agent.DeliveryReport(p.cluster, time.Now())
	require.NotNil(p.t, report)
	require.Equal(p.t, "agent:"+p.cluster, report.Status.Replica)
	require.True(p.t, p.f.registry.Accepts(report.Spec.Cluster, report.Status.Replica))
	return report
}

// The agent gets a commit before the hub has the spec of the Delivery, and its result counts. A result never counts for a later assignment,
// also if that wants the same again: the agent may have had another one in between.
func TestAnAgentWaitsForNoDelivery(t *testing.T) {
	p := newPulled(t)
	l := p.f.clusters[p.cluster]
	first := l.Delivery.Spec
	want := func(spec v1alpha1.DeliverySpec) { // as a commit does
		next := l.Delivery.DeepCopy()
		next.Spec, l.SpecDirty, l.Run = spec, true, status.Run{}
		l.Delivery = next
	}
	second := first
	second.Revision, second.Digest = "main@2", "2"

	want(second)
	p.fetch()
	p.deliver()
	require.True(t, l.SpecDirty)
	require.True(t, l.Run.Finished, "the result counts")
	result := p.report()

	want(first)
	p.f.IngestReport(result, time.Now())
	require.False(t, l.Run.Finished, "the result of another assignment, before the agent gets the next one")
	_, between := p.fetch()
	want(second)
	_, again := p.fetch()
	require.NotEqual(t, between.Assignment, again.Assignment)
	require.NotEqual(t, result.Status.ObservedDelivery, again.Assignment)
	p.f.IngestReport(result, time.Now())
	require.False(t, l.Run.Finished, "the result of an earlier, equal assignment")
	p.deliver()
	require.True(t, l.Run.Finished)

	l.Delivery.Generation, l.SpecDirty = l.Delivery.Generation+1, false // the hub has the spec
	_, same := p.fetch()
	require.Equal(t, again.Assignment, same.Assignment, "the agent learns nothing new")
	require.True(t, l.Reported())
}

// One request writes a Delivery with its result, if the agent reports in time, and without one otherwise.
func TestADeliveryIsWrittenWithItsResult(t *testing.T) {
	p := newPulled(t)
	l := p.f.clusters[p.cluster]
	write := func() (delivery.Write, bool) { // and whether it is due before the latest time
		due := p.f.ComputeDelivery(p.cluster, time.Now())
		written := changes.Status{Federation: p.f.key, Cluster: p.cluster, Write: true}
		return p.f.TakeDelivery(p.cluster), slices.ContainsFunc(due.Updates, func(u changes.Update) bool { return u.Status == written })
	}
	ready := func(w delivery.Write) *metav1.Condition {
		return meta.FindStatusCondition(w.Delivery.Status.Conditions, "Ready")
	}
	started := func() time.Duration {
		var c changes.Changes
		p.f.started(&c, nil)
		i := slices.IndexFunc(c.Updates, func(u changes.Update) bool { return u.Cluster == p.cluster && u.Write })
		return c.Updates[i].Delay
	}
	p.f.registry.RecordBeat(p.cluster, time.Hour, time.Now())
	p.f.registry.RecordProbe(p.cluster, reachability.Probe{Known: true, At: time.Now()})
	p.fetch()
	p.deliver()
	write()
	l.Delivery.Spec.Digest, l.SpecDirty, l.Run = "2", true, status.Run{} // as a commit does
	require.Equal(t, changes.DeliveryDelay(len(p.f.clusters), true), started())
	p.fetch()
	w, due := write()
	require.False(t, due, "the agent has not reported")
	require.True(t, w.Spec && w.Status, "but if it takes too long, the hub learns that it is in progress")
	require.Equal(t, status.Progressing, ready(w).Reason)
	p.deliver()
	w, due = write()
	require.True(t, due)
	require.True(t, w.Spec && w.Status)
	require.Equal(t, w.Delivery.Generation+1, ready(w).ObservedGeneration)
}

// An agent reports an assignment once it is finished, or at once if it failed. One that takes long is reported before.
func TestAnAgentReportsAnAssignmentOnce(t *testing.T) {
	p := newPulled(t)
	p.fetch()
	l, begun := p.agent.clusters[p.cluster], time.Now()
	l.Began = begun
	waits := func(after time.Duration) time.Duration { return p.agent.ReportWaits(p.cluster, begun.Add(after)) }
	require.Equal(t, changes.UnfinishedDelay, waits(0))
	require.Equal(t, time.Second, waits(changes.UnfinishedDelay-time.Second))
	require.Zero(t, waits(changes.UnfinishedDelay))

	l.Run.Error = "the API server does not answer"
	require.Zero(t, waits(0))
	l.Run.Error = ""
	p.agent.Discover(p.cluster, []live.Discovered{{ID: l.Target.Objects[0].ID}})
	require.Zero(t, waits(0), "the hub makes a plan with the objects before anything is delivered")
	delete(p.agent.discovered, p.cluster)
	p.deliver()
	require.Zero(t, waits(0))
	require.Zero(t, p.f.ReportWaits(p.cluster, begun), "a replica reports each step")
}

// An agent that found objects without a record delivers nothing before the hub has planned with them. Nothing else of its part changes then.
func TestAnAgentWaitsForAPlanWithItsObjects(t *testing.T) {
	p := newPulled(t)
	l := p.f.clusters[p.cluster]
	l.SetInventory(nil)
	p.fetch()
	p.agent.Discover(p.cluster, []live.Discovered{{ID: l.Target.Objects[0].ID}})
	job, ok := p.agent.Begin(p.cluster, func() {})
	require.True(t, ok)
	require.False(t, p.agent.AcceptDiscovered(job))
	p.agent.Conclude(job, delivery.Result{}, time.Now())

	l.SetInventory([]string{l.Target.Objects[0].ID.Entry()})
	c, _ := p.fetch()
	require.Equal(t, []string{p.cluster}, c)
	job, ok = p.agent.Begin(p.cluster, func() {})
	require.True(t, ok)
	require.True(t, p.agent.AcceptDiscovered(job))
	require.Equal(t, l.Inventory(), p.agent.clusters[p.cluster].Inventory())
}

// An agent gets the objects of its cluster, and its report is the status of the hub.
func TestAnAgentExecutesItsPart(t *testing.T) {
	p := newPulled(t)
	c, part := p.fetch()
	require.Equal(t, []string{p.cluster}, c)
	job := p.deliver()
	require.Equal(t, p.f.clusters[p.cluster].Target.Objects[0].Body, job.Target.Objects[0].Body)
	require.NotNil(t, job.Part)

	p.f.ComputeDelivery(p.cluster, time.Now())
	require.Equal(t, len(job.Target.Objects), int(p.f.clusters[p.cluster].Delivery.Status.Summary.Total))
	require.True(t, p.f.clusters[p.cluster].Run.Finished)

	c, again := p.fetch()
	require.Empty(t, c, "nothing changed")
	require.NotEqual(t, part.Inventory, again.Inventory)
	require.True(t, part.Same(again))
}

// An object that leaves Git is removed only once the hub has decided so; an object that the hub does not know stays.
func TestAnAgentRemovesNamedObjectsOnly(t *testing.T) {
	p := newPulled(t)
	p.fetch()
	p.deliver()
	gone := p.plan.ForCluster(p.cluster).Objects[0].ID
	l := p.f.clusters[p.cluster]
	l.Wants.Delete(gone)
	l.Target.Objects = l.Target.Objects[1:]
	_, part := p.fetch()
	require.Equal(t, []bundle.Leaving{{Entry: gone.Entry()}}, part.Leaving)

	job, _ := p.agent.Begin(p.cluster, func() {})
	withdraw := job.Withdraw(p.cluster)
	require.Empty(t, withdraw(gone, nil))
	unknown := gone
	unknown.Name = "unknown"
	require.Equal(t, bundle.Undecided, withdraw(unknown, nil))
	require.Empty(t, job.Evicted(p.cluster))
}

// TestAnAgentObservesTheLastObjectOfAKind: the agent looks for the copy of an open eviction although it wants no other object of the kind,
// and until the hub says otherwise.
func TestAnAgentObservesTheLastObjectOfAKind(t *testing.T) {
	p := newPulled(t)
	p.fetch()
	p.deliver()
	l, last := p.f.clusters[p.cluster], schema.GroupVersionKind{Group: "batch", Version: "v1", Kind: "CronJob"}
	begin := func() delivery.Job {
		job, ok := p.agent.Begin(p.cluster, func() {})
		require.True(t, ok)
		p.agent.Conclude(job, delivery.Result{}, time.Now())
		return job
	}
	require.NotContains(t, begin().Kinds(), last)

	l.Leaving = []schema.GroupVersionKind{last}
	changed, part := p.fetch()
	require.Equal(t, []string{p.cluster}, changed, "the agent delivers again")
	require.Contains(t, begin().Kinds(), last)
	require.Contains(t, p.agent.clusters[p.cluster].ReportedKinds(), last)
	_, again := p.fetch()
	require.True(t, part.Same(again))

	l.Leaving = nil
	p.fetch()
	require.NotContains(t, begin().Kinds(), last)
}

// While the hub does not know the state of a Federation, the agent keeps the part that it has.
func TestUnknownParts(t *testing.T) {
	p := newPulled(t)
	part := func() *bundle.Part {
		made, err := p.f.BundlePart(p.cluster, 1, &bundle.Encoder{}, bundle.Contents{})
		require.NoError(t, err)
		return made
	}
	require.False(t, part().Unknown)
	p.f.clusters[p.cluster].Delivery.UID = ""
	require.True(t, part().Unknown, "the hub has no Delivery")
	p.f.clusters[p.cluster].Delivery.UID = "uid"
	p.f.active.persisted = false
	require.True(t, part().Unknown, "the hub does not have the plan")
	p.f.active.persisted = true
	l := p.f.clusters[p.cluster]
	clear(l.Wants)
	require.Nil(t, part(), "nothing is wanted there")
	l.SetInventory(live.Entries([]live.Discovered{{ID: p.plan.ForCluster(p.cluster).Objects[0].ID}}))
	require.NotNil(t, part(), "an object has to leave")
}
