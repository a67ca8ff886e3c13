package status

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/kind"
)

// The truth table: every combination of what up to three clusters (on a Delivery: objects) can be, and of what can be
// true of the whole, is given to the real code, and what it writes is shown to the tools of other people.

// kinds with a status.
var kinds = []string{"Release", "Delivery", "FederatedObject", "Federation", "Cluster"}

// word is one thing that a cluster, or an object on one, can be.
type word struct{ name, state, means string }

// words in the order of the page. State is the name of the cell in states.
var words = []word{
	{"current", "healthy", "it runs what was decided, its controller has observed that, and it is healthy"},
	{"held but current", "held and current", "held, and it runs what was decided all the same: nothing is pending"},
	{"starting", "progressing", "it runs what was decided, and is not healthy yet"},
	{"unknown", "unknown", "it runs what was decided, and its health is unknown"},
	{"unobserved", "unobserved", "it runs what was decided, and its controller has not looked at it"},
	{"older", "older", "it still runs another version"},
	{"missing", "missing", "it is not there"},
	{"held", "held", "it is deliberately not given this"},
	{"held and lost", "held unreachable", "held, and the cluster is not heard from"},
	{"unreachable", "unreachable", "the cluster is not heard from, whatever it ran before"},
	{"unhealthy", "failed", "it runs what was decided, and its controller says that it failed"},
	{"refused", "refused", "the cluster refused it, or something that is not ours is in its place"},
	{"mutated", "mutated", "admission on the cluster changed applied fields, and `spec.mutationPolicy` is Fail"},
	{"not renderable", "unrenderable", "there is nothing to apply: only another commit helps"},
}

// fact can be true of the whole, beside its parts; the zero fact is none.
type fact struct{ name, means string }

// A scene is one combination.
type scene struct {
	names []string // of words
	fact  string
}

func (s scene) String() string { return strings.Join(append([]string{s.fact}, s.names...), ", ") }

// done says that every part is, and that nothing is in the way.
func (s scene) done() bool {
	return !slices.ContainsFunc(s.names, func(n string) bool { return n != "current" && n != "held but current" })
}

// has says that some part is one of these.
func (s scene) has(names ...string) bool {
	return slices.ContainsFunc(s.names, func(n string) bool { return slices.Contains(names, n) })
}

// kindTable has the cases of one kind.
type kindTable struct {
	kind  string
	noun  string // what its parts are
	facts []fact
	// without are the words that cannot be.
	without []string
	// empty: there may be no part at all.
	empty bool
	// status of a scene, for generation 2; before it, all was done for generation 1.
	status func(scene) (status any, observed int64, conditions []metav1.Condition)
	// green says that the scene may be called done.
	green func(scene) bool
}

var tables = []kindTable{
	{
		kind: "FederatedObject", noun: "clusters", empty: true, status: objectOf,
		facts: []fact{{"", ""}, {"suspended", "the Federation is suspended"}, {"kept", "no new choice of clusters could be made, and the last one is kept"}},
		green: func(s scene) bool { return s.done() && len(s.names) > 0 && s.fact != "kept" },
	},
	{
		kind: "Delivery", noun: "objects", empty: true, status: deliveryOf, without: []string{"held and lost", "unreachable"},
		facts: []fact{
			{"", ""}, {"under way", "not every object was tried yet, or what is no longer wanted is not gone yet; if everything there is held, nobody works on it"},
			{"suspended", "the Federation is suspended before the end"}, {"lost", "the cluster is not heard from"},
			{"error", "discovery, inventory or pruning went wrong"}, {"brake", "the prune limits stopped it"},
		},
		green: func(s scene) bool { return s.done() && s.fact == "" },
	},
	{
		kind: "Release", noun: "clusters", empty: true, status: releaseOf,
		facts: []fact{
			{"", ""}, {"about to start", "the status before the first write to any member"}, {"suspended", "the Federation is suspended"},
			{"kept", "no new choice of clusters could be made for some object, and the last one is kept"},
			{"unplaced", "some object fits no cluster"}, {"broken", "the commit cannot be read or planned"},
			{"unapproved", "approval is required, and nobody approved the plan: a cluster that it would change is held, any other is what it is"},
			{"brake", "the prune limits stop the plan, and none of it is delivered"},
			{"overtaken", "a newer commit came, and this was the state when it did"},
		},
		green: func(s scene) bool { return s.done() && slices.Contains([]string{"", "suspended", "overtaken"}, s.fact) },
	},
	{
		kind: "Federation", noun: "clusters of its newest Release", empty: true, status: federationOf,
		facts: []fact{
			{"", ""}, {"suspended", "`spec.suspend` is true"}, {"unread", "a source cannot be read"},
			{"unread, then suspended", "a source could not be read, and is not tried again"},
		},
		green: func(s scene) bool { return s.done() && len(s.names) > 0 && !strings.Contains(s.fact, "unread") },
	},
}

// parts makes one cell for each word. In a suspended Federation all are held.
func (s scene) parts() []Cell {
	var list []Cell
	for i, name := range s.names {
		at := slices.IndexFunc(words, func(w word) bool { return w.name == name })
		c := states[words[at].state]
		c.Object, c.Cluster = web, fmt.Sprint("c", i)
		if s.fact == "suspended" {
			c.Held = "the federation is suspended"
		}
		list = append(list, c)
	}
	return list
}

// readyBefore is a status of generation 1 that was done.
var readyBefore = []metav1.Condition{{
	Type: ready, Status: metav1.ConditionTrue, Reason: ReconciliationSucceeded, Message: "done", ObservedGeneration: 1, LastTransitionTime: stamp(t0),
}}

func objectOf(s scene) (any, int64, []metav1.Condition) {
	return objectAfter(v1alpha1.FederatedObjectStatus{ObservedGeneration: 1, Conditions: readyBefore}, s)
}

func objectAfter(prev v1alpha1.FederatedObjectStatus, s scene) (any, int64, []metav1.Condition) {
	why := ""
	if len(s.names) == 0 || s.fact == "kept" {
		why = "all are tainted"
	}
	status := Object(prev, 2, kind.Of(deployment), why, s.parts(), t1)
	return status, status.ObservedGeneration, status.Conditions
}

func deliveryOf(s scene) (any, int64, []metav1.Condition) {
	cells := s.parts()
	for i := range cells {
		cells[i].Cluster, cells[i].Object.Name = "east", fmt.Sprint("web", i)
		if s.fact == "lost" {
			cells[i].Unreachable = "no answer"
		}
	}
	run := map[string]Run{
		"": completed, "under way": {Started: true}, "suspended": {}, "lost": {Unreachable: "no answer"},
		"error": {Started: true, Error: "forbidden"}, "brake": {Started: true, Finished: true, PruneBlocked: "7 of 9 objects"},
	}[s.fact]
	prev := v1alpha1.DeliveryStatus{ObservedGeneration: 1, LastAppliedRevision: older, Conditions: readyBefore}
	status := Delivery(prev, 2, revision, run, CountCells(cells), t1)
	return status, status.ObservedGeneration, status.Conditions
}

func releaseOf(s scene) (any, int64, []metav1.Condition) {
	in := ReleaseInput{Objects: 1, Deliveries: s.legs(), Starting: s.fact == "about to start", Suspended: s.fact == "suspended"}
	switch s.fact {
	case "kept":
		in.Retained = []string{"apps/Deployment shop/db: 5 replicas do not fit"}
	case "unplaced":
		in.Unplaced = []string{"apps/Deployment shop/db: all are tainted"}
	case "broken":
		in.Errors = []string{"web.yaml:3: bad indent"}
	case "brake":
		in.PruneBlock = &PruneBlock{Clusters: []string{"c0"}, Message: "would delete 7 of 9 objects"}
	case "unapproved":
		in.Approval = &Approval{Digest: "sha256:0123", Namespace: "demo", Federation: "prod", Release: "prod-a"}
	}
	prev := v1alpha1.ReleaseStatus{ObservedGeneration: 1, Conditions: readyBefore}
	status := Release(prev, 2, in, t1)
	if s.fact == "overtaken" {
		status = Release(status, 2, ReleaseInput{SupersededBy: "prod-b"}, t1)
	}
	return status, status.ObservedGeneration, status.Conditions
}

// legs come from Deliveries, as they do in the loops.
func (s scene) legs() []DeliveryState {
	var list []DeliveryState
	for _, cell := range s.parts() {
		run := completed
		if cell.Unreachable != "" {
			run = Run{Unreachable: cell.Unreachable}
		} else if s.fact == "suspended" {
			run = Run{Started: cell.Applied(), Finished: cell.Applied()}
		}
		d := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, run, CountCells([]Cell{cell}), t0)
		list = append(list, NewDeliveryState(cell.Cluster, 1, d))
	}
	return list
}

// An outcome is what is written about a scene, and what tools make of it.
type outcome struct {
	ready, reason, beside    string
	observed                 bool // status.observedGeneration is that of the spec
	kstatus, kubectl, argocd string
}

// conclude shows a status to the tools.
func conclude(t *testing.T, argo argoCD, kind string, status any, observed int64, conditions []metav1.Condition) outcome {
	t.Helper()
	u := published(t, 2, status)
	u.SetKind(kind)
	result, err := kstatus.Compute(u)
	require.NoError(t, err)
	r := meta.FindStatusCondition(conditions, ready)
	o := outcome{ready: string(r.Status), reason: r.Reason, observed: observed == 2, kstatus: result.Status.String(), kubectl: "returns"}
	for _, typ := range []string{reconciling, stalled} {
		if meta.IsStatusConditionTrue(conditions, typ) {
			o.beside = typ
		}
	}
	if kubectlWaits(t, 2, status) {
		o.kubectl = "waits"
	}
	o.argocd, _ = argo.health(t, u)
	require.Contains(t, argoSays[result.Status], o.argocd)
	return o
}

// TestTruth holds of every combination, and makes the page.
func TestTruth(t *testing.T) {
	argo := newArgoCD(t)
	var page truthPage
	for _, table := range tables {
		found := map[string]outcome{} // by scene
		var all []scene
		for _, f := range table.facts {
			for _, names := range table.combinations(3) {
				s := scene{names, f.name}
				status, observed, conditions := table.status(s)
				where := table.kind + ": " + s.String()
				wellFormed(t, 2, observed, conditions)
				o := conclude(t, argo, table.kind, status, observed, conditions)
				table.judge(t, s, o, where)
				s.names = slices.Compact(slices.Clone(s.names))
				if same, seen := found[s.String()]; seen {
					require.Equal(t, same, o, "%s: it is not only the words that count", where)
					continue
				}
				found[s.String()] = o
				all = append(all, s)
			}
		}
		page.add(t, table, all, found)
	}
	page.addClusters(t, argo)
	page.check(t)
}

// combinations are all multisets of at most so many words, sorted; that their order does not matter is shown elsewhere.
func (table kindTable) combinations(most int) [][]string {
	var list [][]string
	if table.empty {
		list = append(list, nil)
	}
	var extend func(prefix []string, from int)
	extend = func(prefix []string, from int) {
		for i := from; i < len(words) && len(prefix) < most; i++ {
			if slices.Contains(table.without, words[i].name) {
				continue
			}
			next := append(slices.Clone(prefix), words[i].name)
			list = append(list, next)
			extend(next, i)
		}
	}
	extend(nil, 0)
	return list
}

// judge checks the rules that hold for every row.
func (table kindTable) judge(t *testing.T, s scene, o outcome, where string) {
	t.Helper()
	green := table.green(s)
	require.Equal(t, green, o.ready == "True", where)
	require.Equal(t, green, o.kubectl == "returns", where)
	require.Equal(t, green, o.kstatus == "Current", where)
	require.Equal(t, green, o.argocd == "Healthy", where)
	if table.kind != "FederatedObject" {
		require.True(t, o.observed, where)
	}
	if o.ready == "True" {
		return
	}
	failed := s.has("refused", "unhealthy", "mutated", "not renderable")
	if s.has("held", "held and lost") && !failed && s.fact == "" {
		require.NotContains(t, []string{ApplyFailed, HealthCheckFailed, BuildFailed}, o.reason, "%s: held is not failed", where)
		require.NotEqual(t, "Degraded", o.argocd, where)
	}
	if o.reason == Held {
		hidden := failed || s.has("older", "missing", "starting", "unknown", "unobserved", "unreachable")
		require.False(t, hidden && s.fact != "suspended" && s.fact != "unapproved", "%s: what is held hides nothing that is not", where)
		require.Equal(t, "Unknown", o.ready, where)
		require.Equal(t, "Suspended", o.argocd, where)
		require.Empty(t, o.beside, "%s: nobody works on it", where)
	}
	if o.beside == stalled {
		require.Equal(t, "False", o.ready, where)
		require.True(t, s.has("mutated", "not renderable") || slices.Contains([]string{"broken", "overtaken", "brake"}, s.fact), "%s: another try could help", where)
	} else {
		require.Equal(t, "InProgress", o.kstatus, where)
	}
	if o.ready == "False" {
		require.NotEmpty(t, o.beside, "%s: it is tried again, or no try can help", where)
	}
}

// TestTruthLater: what was done for this generation and is not any more keeps its observedGeneration, and nothing else of
// it. Only that no retry can help is then told by kstatus, too.
func TestTruthLater(t *testing.T) {
	argo := newArgoCD(t)
	table := tables[0]
	require.Equal(t, "FederatedObject", table.kind)
	done, _, _ := objectOf(scene{names: []string{"current"}})
	for _, names := range table.combinations(3) {
		s := scene{names: names}
		status, observed, conditions := objectOf(s)
		first := conclude(t, argo, table.kind, status, observed, conditions)
		status, observed, conditions = objectAfter(done.(v1alpha1.FederatedObjectStatus), s)
		require.EqualValues(t, 2, observed, "%s: it never goes back", s)
		later := conclude(t, argo, table.kind, status, observed, conditions)
		if first.beside == stalled && !first.observed {
			first.kstatus, first.argocd = "Failed", "Degraded"
		}
		first.observed = true
		require.Equal(t, first, later, s)
	}
}

// TestTruthNextGeneration: whatever is said of one generation, it is not said of the next one.
func TestTruthNextGeneration(t *testing.T) {
	argo := newArgoCD(t)
	for _, table := range tables {
		for _, f := range table.facts {
			for _, names := range table.combinations(2) {
				status, _, _ := table.status(scene{names, f.name})
				u := published(t, 3, status)
				u.SetKind(table.kind)
				health, _ := argo.health(t, u)
				require.Equal(t, "Progressing", health)
				require.Equal(t, kstatus.InProgressStatus, kstatusSays(t, 3, status))
				require.True(t, kubectlWaits(t, 3, status))
			}
		}
	}
}

// federationOf tells of its newest Release.
func federationOf(s scene) (any, int64, []metav1.Condition) {
	in := FederationInput{Suspended: strings.Contains(s.fact, "suspended")}
	if strings.Contains(s.fact, "unread") {
		in.FetchError = errors.New("authentication required")
	}
	if len(s.names) > 0 {
		newest := scene{names: s.names}
		if in.Suspended {
			newest.fact = "suspended"
		}
		status, _, _ := releaseOf(newest)
		in.Release, in.Revision, in.Newest = "prod-a", revision, status.(v1alpha1.ReleaseStatus)
	}
	status := Federation(v1alpha1.FederationStatus{ObservedGeneration: 1, Conditions: readyBefore}, 2, in, t1)
	return status, status.ObservedGeneration, status.Conditions
}

// clusterOf is a Cluster after a probe.
func clusterOf(p Probe) (any, int64, []metav1.Condition) {
	status := Cluster(v1alpha1.ClusterStatus{ObservedGeneration: 1, Conditions: readyBefore}, 2, p, t1)
	return status, status.ObservedGeneration, status.Conditions
}
