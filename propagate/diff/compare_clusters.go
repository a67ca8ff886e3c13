package diff

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/diff/hunk"
	"github.com/accord-dev/accord/propagate/permit"
)

// objectComparison compares one object on all clusters. before and after are nil on the side without the object.
type objectComparison struct {
	*comparison
	object        *object
	before, after *propagate.ObjectPlan
	outcomes      map[outcomeKey]*outcome
	changes       map[resultPair]*resultChange
}

// outcomeKey identifies an outcome of an object.
type outcomeKey struct {
	action   Action
	message  string
	was, now int32 // indexes of results; -1 if they do not matter
	held     bool
	leaving  bool
}

// resultPair identifies two results by their indexes.
type resultPair struct{ was, now int32 }

type resultChange struct {
	differs          bool
	hunks            *hunks
	immutable        []string
	recreated        bool // accord may recreate the object
	restarts         bool
	perNode          bool
	pods             int
	failure          error    // of the result after
	started, stopped []string // names of override policies
}

// record adds a cluster to the outcome with a key.
func (l *objectComparison) record(key outcomeKey, cluster string, m *resultChange) {
	s := l.outcomes[key]
	if s == nil {
		s = &outcome{action: key.action, message: key.message, held: key.held, leaving: key.leaving}
		if m != nil {
			s.hunks, s.immutable, s.recreated, s.failure = m.hunks, m.immutable, m.recreated, m.failure
			if key.action == Modify {
				s.restarts, s.perNode = m.restarts, m.perNode
			}
		}
		l.outcomes[key] = s
	}
	pods := 0
	if s.restarts {
		pods = m.pods
	}
	s.clusters, s.pods = append(s.clusters, cluster), append(s.pods, pods)
}

// added handles a cluster that only the decision after chooses.
func (l *objectComparison) added(j int) {
	choice, result := l.after.Chosen[j], l.after.Results[l.after.ResultIndex[j]]
	if !choice.Implied {
		l.object.gained = append(l.object.gained, choice.Cluster)
	}
	if choice.Replicas != nil && l.before != nil {
		l.replicas(choice.Cluster, nil, choice.Replicas)
	}
	held := l.comparison.after.Plan.Held(choice)
	switch {
	case held != "":
		l.recordHold(choice, "", held)
		l.record(outcomeKey{action: Hold, message: held, was: -1, now: -1}, choice.Cluster, nil)
	case result.Err != nil:
		l.record(outcomeKey{action: Fail, message: result.Err.Error(), was: -1, now: -1}, choice.Cluster, &resultChange{failure: result.Err})
	default:
		l.record(outcomeKey{action: Create, was: -1, now: -1}, choice.Cluster, nil)
	}
}

// removed handles a cluster that only the decision before chooses.
func (l *objectComparison) removed(i int) {
	choice := l.before.Chosen[i]
	if !choice.Implied {
		l.object.lost = append(l.object.lost, choice.Cluster)
	}
	if choice.Replicas != nil && l.after != nil {
		l.replicas(choice.Cluster, choice.Replicas, nil)
	}
	action, message := l.removal(choice.Cluster)
	l.record(outcomeKey{action: action, message: message, was: -1, now: -1, leaving: true}, choice.Cluster, nil)
}

// removal returns the action on an object that is no longer placed on a cluster, as the delivery will decide it.
func (l *objectComparison) removal(cluster string) (action Action, message string) {
	if l.comparison.leaves[cluster] {
		return Keep, "the cluster leaves the fleet"
	}
	manifest := l.comparison.before.Plan.Manifest(l.object.id).Get()
	if why := l.comparison.after.Plan.KeepReason(cluster, l.object.id, manifest.GetLabels()); why != "" {
		return Hold, why
	}
	switch {
	case !l.options.Prune:
		return Keep, "the federation does not prune"
	case l.before.Preserved:
		return Keep, "preserveResourcesOnDeletion keeps it"
	}
	return Delete, ""
}

// retained handles a cluster that both decisions choose.
func (l *objectComparison) retained(i, j int) {
	was, now := l.before.Chosen[i], l.after.Chosen[j]
	if was.Replicas != nil && now.Replicas != nil && *was.Replicas != *now.Replicas {
		l.replicas(now.Cluster, was.Replicas, now.Replicas)
	}
	of, to := l.before.ResultIndex[i], l.after.ResultIndex[j]
	wasHeld, nowHeld := l.comparison.before.Plan.Held(was), l.comparison.after.Plan.Held(now)
	if l.before.Results[of].Rendered == l.after.Results[to].Rendered && l.after.Results[to].Rendered != nil && wasHeld == "" && nowHeld == "" {
		return
	}
	if (wasHeld == "") != (nowHeld == "") {
		l.recordHold(now, wasHeld, nowHeld)
	}
	m := l.change(of, to)
	for _, policy := range m.started {
		l.object.started[policy] = append(l.object.started[policy], now.Cluster)
	}
	for _, policy := range m.stopped {
		l.object.stopped[policy] = append(l.object.stopped[policy], now.Cluster)
	}
	if key, changes := l.retainedOutcome(m, wasHeld, nowHeld, of, to); changes {
		l.record(key, now.Cluster, m)
	}
}

// retainedOutcome returns the outcome on a cluster that both decisions choose; changes is false if nothing changes.
func (l *objectComparison) retainedOutcome(m *resultChange, wasHeld, nowHeld string, was, now int32) (key outcomeKey, changes bool) {
	failedBefore, failure := l.before.Results[was].Err != nil, l.after.Results[now].Err
	switch {
	case failure != nil:
		return outcomeKey{action: Fail, message: failure.Error(), was: -1, now: -1}, !failedBefore
	case nowHeld != "":
		return outcomeKey{action: Hold, message: nowHeld, was: was, now: now, held: wasHeld != ""}, m.differs
	case failedBefore:
		return outcomeKey{action: Modify, message: "it could not be rendered before", was: -1, now: -1}, true
	case wasHeld != "":
		return outcomeKey{action: Modify, message: "it is no longer held", was: was, now: now}, true
	case len(m.immutable) > 0:
		return outcomeKey{action: Recreate, was: was, now: now}, true
	}
	return outcomeKey{action: Modify, was: was, now: now}, m.differs
}

// recordHold records that an object becomes held or is no longer held. It ignores an implied Namespace, which follows
// the objects in it.
func (l *objectComparison) recordHold(choice decision.Choice, was, now string) {
	switch {
	case choice.Implied:
	case now != "":
		l.object.held[now] = append(l.object.held[now], choice.Cluster)
	default:
		l.object.released[was] = append(l.object.released[was], choice.Cluster)
	}
}

func (l *objectComparison) replicas(cluster string, was, now *int32) {
	l.object.replicas = append(l.object.replicas, Value{Object: l.object.id, Cluster: cluster, Before: formatReplicas(was), After: formatReplicas(now)})
}

// formatReplicas returns "" for nil.
func formatReplicas(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}

// change returns how two results differ, and caches the answer.
func (l *objectComparison) change(was, now int32) *resultChange {
	key := resultPair{was, now}
	if l.changes[key] == nil {
		l.changes[key] = l.compareResults(l.before.Results[was], l.after.Results[now])
	}
	return l.changes[key]
}

func (l *objectComparison) compareResults(was, now propagate.Result) *resultChange {
	m := &resultChange{failure: now.Err}
	if was.Err != nil || now.Err != nil {
		return m
	}
	m.started, m.stopped = difference(overridePolicies(now), overridePolicies(was)), difference(overridePolicies(was), overridePolicies(now))
	if bytes.Equal(was.Body.Bytes(), now.Body.Bytes()) {
		return m
	}
	before, after := decode(was), decode(now)
	found := hunk.Compare(before, after, hunk.Options{Key: l.options.Key})
	m.differs = len(found) > 0
	m.hunks = l.hunks.intern(found)
	m.immutable = hunk.Immutable(l.object.kind, before, after)
	m.recreated, _ = permit.Recreate(after)
	n, perNode := hunk.Restarted(l.object.kind, before, after)
	m.restarts, m.perNode, m.pods = n > 0 || perNode, perNode, int(n)
	return m
}

// overridePolicies returns the overrides that changed an object, sorted.
func overridePolicies(r propagate.Result) []string {
	names := map[string]bool{}
	for _, e := range r.Edits {
		names[e.Policy] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// difference returns the strings of sorted list a that sorted list b lacks.
func difference(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool {
		_, both := slices.BinarySearch(b, s)
		return both
	})
}

// decode returns the object as accord sends it to a cluster.
func decode(r propagate.Result) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(r.Body.Bytes()); err != nil { // impossible: the plan encoded an object with a kind
		panic(err)
	}
	return u
}
