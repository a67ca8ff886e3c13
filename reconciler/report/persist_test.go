package report

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store"
)

// persisted is a Federation with one cluster, whose plans have ConfigMaps, persisted to a store in memory.
type persisted struct {
	*testing.T
	store    store.Store
	reporter *Reporter
	f        *state.Federation
}

func persistTo(t *testing.T) *persisted {
	t.Helper()
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	records, registry := store.NewMemory(scheme), state.NewRegistry(reachability.NewTracker())
	r := New(Options{Registry: registry, Store: records, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(r.queue.ShutDown)
	f := state.New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}, registry, store.ProcessFingerprints())
	registry.Add(f)
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
	release := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod-" + revision}}
	a.f.Activate(state.Activation{Plan: plan, Revision: revision, Release: release}, time.Now())
	u, err := a.reporter.Persist(a.Context(), a.f, func(manifest.ID) bool { return false })
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
		if o, _ := a.f.ObjectToWrite(id); o != nil {
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
		require.NoError(t, a.reporter.writeObjectRecord(t.Context(), a.f, id))
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
	gone, _ := a.f.ObjectToWrite(configMapID("c059"))
	names[0] = "c000=2"
	a.push("2", "", names[:len(names)-1]...)
	require.Zero(t, a.records())
	require.Nil(t, a.object("c059"), "it left Git before it was written")

	first := a.object("c000")
	require.NoError(t, a.reporter.writeObjectRecord(t.Context(), a.f, configMapID("c000")))
	require.Equal(t, first.Spec, a.object("c000").Spec)
	require.NoError(t, a.reporter.writeObjectRecord(t.Context(), a.f, configMapID("c059")))
	require.Equal(t, 1, a.records())

	old := a.object("c001")
	_, wanted := a.f.ObjectWritten(old.DeepCopy(), old.DeepCopy())
	require.True(t, wanted, "another decision was made while it was written")
	again, _ := a.f.ObjectToWrite(configMapID("c001"))
	require.NotNil(t, again)
	_, wanted = a.f.ObjectWritten(gone, gone)
	require.False(t, wanted, "it left Git while it was written")
}

// TestADeliveryIsPersistedAfterItHasBegun: until the hub has its spec, its status is not computed, and the Release relies
// on nothing that it reported.
func TestADeliveryIsPersistedAfterItHasBegun(t *testing.T) {
	a := persistTo(t)
	a.push("1", "", "a=1")
	require.Nil(t, a.f.DeliveryToWrite("eu"), "the first is there before anything is delivered")
	done := a.deliveries()[0].Generation

	a.push("2", "", "a=2")
	require.NotNil(t, a.f.DeliveryToWrite("eu"))
	a.reporter.ComputeDelivery(a.f, "eu")
	require.Zero(t, a.deliveries()[0].Status.ObservedGeneration, "no status is computed for a spec that the hub does not have")

	require.NoError(t, a.reporter.writeDeliverySpec(t.Context(), a.f, "eu"))
	require.Nil(t, a.f.DeliveryToWrite("eu"))
	require.Equal(t, done+1, a.deliveries()[0].Generation)
	require.Equal(t, "2", a.deliveries()[0].Spec.Revision)
}
