package reconciler

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/status"
)

// announced is a federation on one cluster whose plan has ConfigMaps of these names, announced to a ledger in memory. placement
// is of their policy.
type announced struct {
	*testing.T
	engine *engine
	f      *federation
}

func announceTo(t *testing.T) *announced {
	t.Helper()
	scheme, err := newScheme()
	require.NoError(t, err)
	e := newEngine(store.NewMemory(scheme), slog.New(slog.DiscardHandler), func(client.Object, string, string, string) {})
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}
	f, err := e.open(t.Context(), fed)
	require.NoError(t, err)
	return &announced{t, e, f}
}

// push puts a plan in force, all but the delivery.
func (a *announced) push(revision, placement string, names ...string) map[manifest.ID]bool {
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
	a.f.adopt(basis{revision: revision}, release, plan)
	changed, err := a.engine.announce(a.Context(), a.f, func(manifest.ID) bool { return false })
	require.NoError(a, err)
	a.f.announced, a.f.starting = true, false
	return changed
}

// records returns how many FederatedObjects are stored.
func (a *announced) records() int {
	list := &v1alpha1.FederatedObjectList{}
	require.NoError(a, a.engine.store.List(a.Context(), list, a.f.key.Namespace, a.f.key.Name))
	return len(list.Items)
}

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

func TestManyNewRecordsDoNotMakeMembersWait(t *testing.T) {
	a := announceTo(t)
	require.Len(t, a.push("1", "", many(bulk+10)...), bulk+10)
	require.Zero(t, a.records())
	require.Len(t, a.f.unwritten, bulk+10)

	legs := []status.DeliveryState{{Cluster: "eu", State: v1alpha1.Healthy, Applied: true}}
	a.f.hideUnwritten(legs)
	require.Equal(t, v1alpha1.Progressing, legs[0].State, "a Release is not done before its records are there")
	require.Contains(t, legs[0].Message, "60 objects")

	for id := range a.f.objectIDs() {
		require.NoError(t, a.engine.reporter.recordObject(t.Context(), a.f, id))
	}
	require.Equal(t, bulk+10, a.records())
	require.Empty(t, a.f.unwritten)
	require.EqualValues(t, 1, a.f.objects[configMapID("c000")].Generation)
	legs[0].State = v1alpha1.Healthy
	a.f.hideUnwritten(legs)
	require.Equal(t, v1alpha1.Healthy, legs[0].State)
}

func TestAFewNewRecordsAreWrittenAtOnce(t *testing.T) {
	a := announceTo(t)
	a.push("1", "", many(bulk)...)
	require.Equal(t, bulk, a.records())
	require.Empty(t, a.f.unwritten)
}

func TestWhatIsRememberedIsWrittenFirst(t *testing.T) {
	a := announceTo(t)
	a.push("1", "spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]", many(bulk+1)...)
	require.Equal(t, bulk+1, a.records(), "who is killed now decides the same again")
}

func TestARecordMovesBeforeItsMembers(t *testing.T) {
	a := announceTo(t)
	a.push("1", "", "a=1", "b=1")
	require.Equal(t, map[manifest.ID]bool{configMapID("a"): true}, a.push("2", "", "a=2", "b=1"))
	require.EqualValues(t, 2, a.f.objects[configMapID("a")].Generation)
	require.EqualValues(t, 1, a.f.objects[configMapID("b")].Generation)
}

func TestARecordThatIsNotWrittenFollowsGit(t *testing.T) {
	a := announceTo(t)
	names := many(bulk + 10)
	a.push("1", "", names...)
	names[0] = "c000=2"
	a.push("2", "", names[:len(names)-1]...)
	require.Zero(t, a.records())
	require.NotContains(t, a.f.objects, configMapID("c059"), "it left Git before it was written")

	first := a.f.objects[configMapID("c000")]
	require.NoError(t, a.engine.reporter.recordObject(t.Context(), a.f, configMapID("c000")))
	require.Equal(t, first.Spec, a.f.objects[configMapID("c000")].Spec)
	require.NoError(t, a.engine.reporter.recordObject(t.Context(), a.f, configMapID("c059")))
	require.Equal(t, 1, a.records())

	old := a.f.objects[configMapID("c001")]
	require.True(t, a.engine.reporter.recorded(a.f, configMapID("c001"), old.DeepCopy(), old.DeepCopy()), "it was decided about again while it was written")
	require.Contains(t, a.f.unwritten, configMapID("c001"))
	require.False(t, a.engine.reporter.recorded(a.f, configMapID("c059"), old, old), "it left Git while it was written")
}

// TestADeliveryIsRecordedAfterItIsBegun: until the ledger has its spec, nothing is told by it, and the Release counts on
// nothing that it said.
func TestADeliveryIsRecordedAfterItIsBegun(t *testing.T) {
	a := announceTo(t)
	a.push("1", "", "a=1")
	l := a.f.legs["eu"]
	require.False(t, l.stale, "the first is there before anything is delivered")
	l.listed, l.delivery.Status.ObservedGeneration = true, l.delivery.Generation
	done := l.delivery.Generation

	a.push("2", "", "a=2")
	require.True(t, l.stale)
	require.Equal(t, done+1, l.generation(), "what it said is about the revision before")
	a.engine.reporter.judgeDelivery(a.f, "eu")
	require.Equal(t, done, l.delivery.Status.ObservedGeneration)

	require.NoError(t, a.engine.reporter.recordDelivery(t.Context(), a.f, "eu"))
	require.False(t, l.stale)
	require.Equal(t, done+1, l.delivery.Generation)
	require.Equal(t, "2", l.delivery.Spec.Revision)
}
