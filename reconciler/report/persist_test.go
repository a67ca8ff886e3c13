package report

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// persisted is a Federation with one cluster, whose plans have ConfigMaps, persisted to a store in memory.
type persisted struct {
	testing.TB
	store    store.Store
	reporter *Reporter
	f        *state.Federation
}

func persistTo(t testing.TB) *persisted {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	records, registry := store.NewMemory(scheme), state.NewRegistry(reachability.NewTracker())
	r := New(Options{Registry: registry, Store: records, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.queue.ShutDown)
	f := state.New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}, registry, store.ProcessFingerprints())
	registry.Add(f)
	for _, name := range []string{"asia", "eu"} {
		registry.SetReachability(name, reachability.State{})
	}
	return &persisted{t, records, r, f}
}

// push activates and persists a plan with ConfigMaps of these names. placement is that of their policy.
func (a *persisted) push(revision, placement string, names ...string) map[manifest.ID]bool {
	a.Helper()
	var text strings.Builder
	text.WriteString("-- input --\nfederation: demo/prod\n-- all.yaml --\n")
	for _, name := range names {
		name, value, _ := strings.Cut(name, "=")
		fmt.Fprintf(&text, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: shop}, data: {v: \"%s\"}}\n", name, value)
	}
	text.WriteString("---\n{apiVersion: policy.karmada.io/v1alpha1, kind: PropagationPolicy, metadata: {name: p, namespace: shop}, " +
		"spec: {resourceSelectors: [{apiVersion: v1, kind: ConfigMap}], placement: {" + placement + "}}}\n" +
		"---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: eu}}\n")
	in, err := dump.Read([]byte(text.String()))
	require.NoError(a, err)
	plan, err := propagate.New(in)
	require.NoError(a, err)
	release := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod-" + revision}, Spec: v1alpha1.ReleaseSpec{Revision: revision}}
	a.f.Activate(activation.Request{Plan: plan, Revision: revision, Release: release}, time.Now())
	u, err := a.reporter.Persist(a.Context(), a.f, record.Carried{})
	require.NoError(a, err)
	a.f.Persisted(u, map[manifest.ID]bool{}, time.Now())
	return u.Changed
}

// records returns how many FederatedObjects are stored.
func (a *persisted) records() int {
	list := &v1alpha1.FederatedObjectList{}
	require.NoError(a, a.store.List(a.Context(), list, "demo", "prod"))
	return len(list.Items)
}

// object returns the FederatedObject of a ConfigMap as the state has it, nil if there is none.
func (a *persisted) object(name string) *v1alpha1.FederatedObject {
	for _, o := range a.f.Records().Objects {
		if o.Spec.Template.ID() == configMapID(name) {
			return &o
		}
	}
	return nil
}

// unwritten returns how many objects have no record on the hub.
func (a *persisted) unwritten() int {
	n := 0
	for id := range a.f.ObjectIDs() {
		if a.f.IsDeferred(id) {
			n++
		}
	}
	return n
}

func (a *persisted) deliveries() []v1alpha1.Delivery { return a.f.Records().Deliveries }

func many(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("c%03d=1", i)
	}
	return names
}

func configMapID(name string) manifest.ID {
	return manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}
}

const bulk = 50 // objects above which a change is a bulk

func TestManyNewRecordsDoNotDelayMembers(t *testing.T) {
	a := persistTo(t)
	require.Len(t, a.push("1", "", many(bulk+10)...), bulk+10)
	require.Zero(t, a.records())
	require.Equal(t, bulk+10, a.unwritten())
	for id := range a.f.ObjectIDs() {
		require.NoError(t, a.reporter.WriteObject(t.Context(), a.f, id))
	}
	require.Equal(t, bulk+10, a.records())
	require.Zero(t, a.unwritten())
	require.EqualValues(t, 1, a.object("c000").Generation)
}

func TestAFewNewRecordsAreWrittenAtOnce(t *testing.T) {
	a := persistTo(t)
	a.push("1", "", many(bulk)...)
	require.Equal(t, bulk, a.records())
	require.Zero(t, a.unwritten())
}

func TestDecisionsThatTheNextDependsOnAreWrittenFirst(t *testing.T) {
	a := persistTo(t)
	a.push("1", "spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]", many(bulk+1)...)
	require.Equal(t, bulk+1, a.records(), "a process that is killed now decides the same again")
}

func TestARecordMovesBeforeItsMembers(t *testing.T) {
	a := persistTo(t)
	a.push("1", "", "a=1", "b=1")
	require.Equal(t, map[manifest.ID]bool{configMapID("a"): true}, a.push("2", "", "a=2", "b=1"))
	require.EqualValues(t, 2, a.object("a").Generation)
	require.EqualValues(t, 1, a.object("b").Generation)
}

func TestAnUnwrittenRecordFollowsGit(t *testing.T) {
	a := persistTo(t)
	names := many(bulk + 10)
	a.push("1", "", names...)
	names[0] = "c000=2"
	a.push("2", "", names[:len(names)-1]...)
	require.Zero(t, a.records())
	require.Nil(t, a.object("c059"), "it left Git before it was written")

	first := a.object("c000")
	require.NoError(t, a.reporter.WriteObject(t.Context(), a.f, configMapID("c000")))
	require.Equal(t, first.Spec, a.object("c000").Spec)
	require.NoError(t, a.reporter.WriteObject(t.Context(), a.f, configMapID("c059")))
	require.Equal(t, 1, a.records())
}

// writes counts the writes to a Store, and loses the answers to creates while lossy is set.
type writes struct {
	store.Store
	creates, puts, statuses int
	deliveries              []string
	lossy                   bool
}

func (w *writes) PutWhole(ctx context.Context, o client.Object) error {
	if _, is := o.(*v1alpha1.Delivery); is {
		w.deliveries = append(w.deliveries, "whole")
		return w.Store.PutWhole(ctx, o)
	}
	w.creates++
	if err := w.Store.PutWhole(ctx, o.DeepCopyObject().(client.Object)); err != nil || w.lossy {
		return errors.Join(err, errors.New("no answer"))
	}
	return w.Store.PutWhole(ctx, o)
}

func (w *writes) Put(ctx context.Context, o client.Object) error {
	switch o.(type) {
	case *v1alpha1.FederatedObject:
		w.puts++
	case *v1alpha1.Delivery:
		w.deliveries = append(w.deliveries, "spec")
	}
	return w.Store.Put(ctx, o)
}

func (w *writes) PutStatus(ctx context.Context, o client.Object) error {
	switch o.(type) {
	case *v1alpha1.FederatedObject:
		w.statuses++
	case *v1alpha1.Delivery:
		w.deliveries = append(w.deliveries, "status")
	}
	return w.Store.PutStatus(ctx, o)
}

// list makes the cluster known to have none of the objects.
func (a *persisted) list() delivery.Job {
	job, begun := a.f.Begin("eu", func() {})
	require.True(a, begun)
	a.f.Listed(job, job.Kinds())
	return job
}

// deliver makes every object known to be on the cluster as it was decided.
func (a *persisted) deliver(job delivery.Job) {
	for _, p := range job.Target.Objects {
		base, known := a.f.Base("eu", p.ID)
		require.True(a, known)
		_, recorded := a.f.Observe("eu", p.ID, state.Observation{
			Base: base, Seen: live.Object{Digest: p.Digest, Intact: true}, Report: status.Report{Digest: p.Digest, Health: kind.Healthy},
		}, time.Now())
		require.True(a, recorded)
	}
	a.f.Conclude(job, delivery.Result{}, time.Now())
}

// TestAnObjectIsCreatedWithItsStatus: a new object of a bulk costs one write if nothing happens to it later, and no status
// is claimed before that.
func TestAnObjectIsCreatedWithItsStatus(t *testing.T) {
	a := persistTo(t)
	w := &writes{Store: a.store}
	a.reporter.store = w
	a.push("1", "", many(bulk+10)...)
	require.NoError(t, a.reporter.WriteObject(t.Context(), a.f, configMapID("c000")))
	require.Equal(t, 1, w.puts, "without an observation there is no status")
	require.Equal(t, v1alpha1.FederatedObjectStatus{}, a.object("c000").Status)

	job := a.list()
	require.NoError(t, a.reporter.write(t.Context(), changes.Status{Federation: a.f.Key(), Object: configMapID("c001")}))
	require.Zero(t, w.creates, "the bulk has not come to it")
	require.NoError(t, a.reporter.WriteObject(t.Context(), a.f, configMapID("c002")))
	require.Equal(t, 1, w.creates, "a run without a hub ends")
	require.Equal(t, "Progressing", meta.FindStatusCondition(a.object("c002").Status.Conditions, "Ready").Reason)
	a.deliver(job)
	for id := range a.f.ObjectIDs() {
		require.NoError(t, a.reporter.WriteObject(t.Context(), a.f, id))
		require.NoError(t, a.reporter.WriteObject(t.Context(), a.f, id), "a second time")
	}
	require.Equal(t, writes{Store: w.Store, creates: bulk + 9, puts: 1, statuses: 2, deliveries: w.deliveries}, *w)
	list := &v1alpha1.FederatedObjectList{}
	require.NoError(t, a.store.List(t.Context(), list, "demo", "prod"))
	require.Len(t, list.Items, bulk+10)
	for _, o := range list.Items {
		require.EqualValues(t, 1, o.Generation)
		require.EqualValues(t, 1, o.Status.ObservedGeneration)
		require.True(t, meta.IsStatusConditionTrue(o.Status.Conditions, "Ready"), o.Status.Message)
	}
}

// TestALostCreateIsNotForgotten: the hub may have an object whose create failed. Its generation moves before the members
// get the next plan, so that its status is about the plan before.
func TestALostCreateIsNotForgotten(t *testing.T) {
	a := persistTo(t)
	w := &writes{Store: a.store}
	a.reporter.store = w
	names := many(bulk + 10)
	a.push("1", "", names...)
	a.deliver(a.list())
	w.lossy = true
	require.Error(t, a.reporter.WriteObject(t.Context(), a.f, configMapID("c000")))
	require.Equal(t, bulk+10, a.unwritten())

	names[0], names[1] = "c000=2", "c001=2"
	a.push("2", "", names...)
	require.Equal(t, 1, w.puts, "the hub certainly has no record of c001")
	require.EqualValues(t, 2, a.object("c000").Generation)
	list := &v1alpha1.FederatedObjectList{}
	require.NoError(t, a.store.List(t.Context(), list, "demo", "prod"))
	require.Len(t, list.Items, 1)
	require.EqualValues(t, 2, list.Items[0].Generation)
	require.EqualValues(t, 1, list.Items[0].Status.ObservedGeneration)
}

// TestADeliveryIsWrittenWithItsStatus: after a push, one request writes the spec and the status that is about it. A status that was
// computed for a spec that the hub never got is not about the next spec, which gets that generation.
func TestADeliveryIsWrittenWithItsStatus(t *testing.T) {
	a := persistTo(t)
	w := &writes{Store: a.store}
	a.reporter.store = w
	compute := func() v1alpha1.Delivery {
		a.reporter.ComputeDelivery(a.f, "eu")
		return a.deliveries()[0]
	}
	a.push("1", "", "a=1")
	require.Nil(t, a.f.DeliveryToWrite("eu"), "the first is there before anything is delivered")
	a.deliver(a.list())
	first := compute()
	require.NoError(t, a.reporter.WriteDelivery(t.Context(), a.f, "eu"))
	require.Equal(t, []string{"spec", "status"}, w.deliveries)
	require.Equal(t, first.Generation, first.Status.ObservedGeneration)

	a.push("2", "", "a=2")
	require.Equal(t, first.Generation+1, compute().Status.ObservedGeneration)
	a.push("3", "", "a=3")
	second := a.deliveries()[0].Status
	require.Equal(t, first.Generation, second.ObservedGeneration, "no status is about the third revision yet")
	for _, c := range second.Conditions {
		require.Equal(t, first.Generation, c.ObservedGeneration, c.Type)
	}
	require.NotNil(t, a.f.DeliveryToWrite("eu"))

	compute()
	require.NoError(t, a.reporter.WriteDelivery(t.Context(), a.f, "eu"))
	require.Equal(t, []string{"spec", "status", "whole"}, w.deliveries)
	stored := &v1alpha1.DeliveryList{}
	require.NoError(t, a.store.List(t.Context(), stored, "demo", "prod"))
	require.Len(t, stored.Items, 1)
	require.Equal(t, "3", stored.Items[0].Spec.Revision)
	require.Equal(t, first.Generation+1, stored.Items[0].Generation)
	require.Equal(t, first.Generation+1, stored.Items[0].Status.ObservedGeneration)
	require.NoError(t, a.reporter.WriteDelivery(t.Context(), a.f, "eu"))
	require.Len(t, w.deliveries, 3)
}

// federations counts the writes of the status of Federations.
type federations struct {
	store.Store
	n int
}

func (w *federations) PutStatus(ctx context.Context, o client.Object) error {
	if _, is := o.(*v1alpha1.Federation); is {
		w.n++
	}
	return w.Store.PutStatus(ctx, o)
}

// TestANewRevisionIsReportedWhileItIsPlanned: while a plan takes long, the Federation is Progressing. What is known of the revision before
// does not make it Ready meanwhile. A delivery does not wait for the status of the Federation, which is about the revision before until
// the first status of the delivery.
func TestANewRevisionIsReportedWhileItIsPlanned(t *testing.T) {
	a := persistTo(t)
	w := &federations{Store: a.store}
	a.reporter.store = w
	written := func(want metav1.ConditionStatus, message string) v1alpha1.FederationStatus {
		t.Helper()
		require.NoError(t, a.reporter.WriteRelease(t.Context(), a.f))
		s := a.f.Declared().Status
		ready := meta.FindStatusCondition(s.Conditions, fluxmeta.ReadyCondition)
		require.Equal(t, want, ready.Status)
		require.Contains(t, ready.Message, message)
		return s
	}
	a.push("1", "", "a=1")
	a.deliver(a.list())
	a.reporter.ComputeDelivery(a.f, "eu")
	written(metav1.ConditionTrue, "1 cluster")
	require.False(t, a.f.SetPlanning("1"), "its Release is the newest")

	require.True(t, a.f.SetPlanning("2"))
	require.NoError(t, a.reporter.WriteFederation(t.Context(), a.f))
	planning := written(metav1.ConditionUnknown, "planning 2")
	require.Equal(t, []string{"prod-1", "1", "1"}, []string{planning.Release, planning.LastAttemptedRevision, planning.LastHealthyRevision})
	require.Zero(t, planning.Summary.Healthy)
	require.EqualValues(t, 1, planning.Summary.Total)

	before := w.n
	a.push("2", "", "a=2")
	require.Equal(t, before, w.n, "the hub has it")
	a.f.SetPlanning("")
	require.Equal(t, "prod-2", written(metav1.ConditionUnknown, "").Release)
	require.Equal(t, before+1, w.n)

	require.True(t, a.f.SetPlanning("3"))
	a.f.SetPlanning("")
	a.push("3", "", "a=3")
	require.Equal(t, before+1, w.n, "the plan took no time, and the delivery does not wait")
	require.Equal(t, "2", a.f.Declared().Status.LastAttemptedRevision)
	require.Equal(t, "3", written(metav1.ConditionUnknown, "").LastAttemptedRevision)
	require.Equal(t, before+2, w.n)
}

// TestReleasesAreSupersededWithTheStatus has the older Release marked with the first write of the status, and not while another one
// becomes the newest.
func TestReleasesAreSupersededWithTheStatus(t *testing.T) {
	a := persistTo(t)
	a.push("first", "", "one")
	a.push("second", "", "one")
	let := a.reporter.HoldReleases(a.f)
	written := make(chan error, 1)
	go func() { written <- a.reporter.write(t.Context(), changes.Status{Federation: a.f.Key()}) }()
	select {
	case <-written:
		require.Fail(t, "a Release was superseded meanwhile")
	case <-time.After(50 * time.Millisecond):
	}
	let()
	require.NoError(t, <-written)
	_, older, _ := a.f.Superseded()
	require.Len(t, older, 1)
	require.Equal(t, "prod-second", older[0].Status.SupersededBy)
}
