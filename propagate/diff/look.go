package diff

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff/hunk"
	"github.com/accord-dev/accord/propagate/permit"
)

// looking is one object under comparison. before and after are nil where there is none.
type looking struct {
	*comparison
	object        *object
	before, after *propagate.ObjectPlan
	spans         map[spanKey]*span
	moves         map[moveKey]*move
}

// spanKey is what decides between one span and another, within an object.
type spanKey struct {
	verb     Verb
	why      string
	was, now int32 // results; -1 where that does not matter
	held     bool
	leaving  bool
}

// moveKey is a pair of results; move is how one differs from the other.
type moveKey struct{ was, now int32 }

type move struct {
	differs          bool
	hunks            *hunks
	immutable        []string
	renewed          bool // it may be deleted and made anew where that is needed
	restarts         bool
	perNode          bool
	pods             int
	failure          error    // of the result that comes after
	started, stopped []string // override policies
}

// note adds a cluster to the span of what happens there.
func (l *looking) note(key spanKey, cluster string, m *move) {
	s := l.spans[key]
	if s == nil {
		s = &span{verb: key.verb, why: key.why, held: key.held, leaving: key.leaving}
		if m != nil {
			s.hunks, s.immutable, s.renewed, s.failure = m.hunks, m.immutable, m.renewed, m.failure
			if key.verb == Modify {
				s.restarts, s.perNode = m.restarts, m.perNode
			}
		}
		l.spans[key] = s
	}
	pods := 0
	if s.restarts {
		pods = m.pods
	}
	s.clusters, s.pods = append(s.clusters, cluster), append(s.pods, pods)
}

// comes is about a cluster that the object did not go to.
func (l *looking) comes(j int) {
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
		l.holds(choice, "", held)
		l.note(spanKey{verb: Hold, why: held, was: -1, now: -1}, choice.Cluster, nil)
	case result.Err != nil:
		l.note(spanKey{verb: Fail, why: result.Err.Error(), was: -1, now: -1}, choice.Cluster, &move{failure: result.Err})
	default:
		l.note(spanKey{verb: Create, was: -1, now: -1}, choice.Cluster, nil)
	}
}

// leaves is about a cluster that the object no longer goes to.
func (l *looking) leaves(i int) {
	choice := l.before.Chosen[i]
	if !choice.Implied {
		l.object.lost = append(l.object.lost, choice.Cluster)
	}
	if choice.Replicas != nil && l.after != nil {
		l.replicas(choice.Cluster, choice.Replicas, nil)
	}
	verb, why := l.withdrawn(choice.Cluster)
	l.note(spanKey{verb: verb, why: why, was: -1, now: -1, leaving: true}, choice.Cluster, nil)
}

// withdrawn says what becomes of an object that is no longer wanted on a cluster, as a delivery decides it.
func (l *looking) withdrawn(cluster string) (verb Verb, why string) {
	if l.comparison.leaves[cluster] {
		return Leave, "the cluster leaves the fleet"
	}
	manifest := l.comparison.before.Plan.Manifest(l.object.id)
	if why := l.comparison.after.Plan.KeepReason(cluster, l.object.id, manifest.GetLabels()); why != "" {
		return Hold, why
	}
	switch {
	case !l.options.Prune:
		return Leave, "the federation does not prune"
	case l.before.Preserved:
		return Leave, "preserveResourcesOnDeletion keeps it"
	}
	return Delete, ""
}

// stays is about a cluster that the object goes to before and after.
func (l *looking) stays(i, j int) {
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
		l.holds(now, wasHeld, nowHeld)
	}
	m := l.move(of, to)
	for _, policy := range m.started {
		l.object.started[policy] = append(l.object.started[policy], now.Cluster)
	}
	for _, policy := range m.stopped {
		l.object.stopped[policy] = append(l.object.stopped[policy], now.Cluster)
	}
	if key, changes := l.verdict(m, wasHeld, nowHeld, of, to); changes {
		l.note(key, now.Cluster, m)
	}
}

// verdict says what happens where the object was and stays; changes is false for nothing.
func (l *looking) verdict(m *move, wasHeld, nowHeld string, was, now int32) (key spanKey, changes bool) {
	failedBefore, failure := l.before.Results[was].Err != nil, l.after.Results[now].Err
	switch {
	case failure != nil:
		return spanKey{verb: Fail, why: failure.Error(), was: -1, now: -1}, !failedBefore
	case nowHeld != "":
		return spanKey{verb: Hold, why: nowHeld, was: was, now: now, held: wasHeld != ""}, m.differs
	case failedBefore:
		return spanKey{verb: Modify, why: "it could not be rendered before", was: -1, now: -1}, true
	case wasHeld != "":
		return spanKey{verb: Modify, why: "it is no longer held", was: was, now: now}, true
	case len(m.immutable) > 0:
		return spanKey{verb: Recreate, was: was, now: now}, true
	}
	return spanKey{verb: Modify, was: was, now: now}, m.differs
}

// holds notes where an object becomes held or is released; a Namespace that is there for others only follows them.
func (l *looking) holds(choice propagate.Choice, was, now string) {
	switch {
	case choice.Implied:
	case now != "":
		l.object.held[now] = append(l.object.held[now], choice.Cluster)
	default:
		l.object.released[was] = append(l.object.released[was], choice.Cluster)
	}
}

func (l *looking) replicas(cluster string, was, now *int32) {
	l.object.replicas = append(l.object.replicas, Value{Object: l.object.id, Cluster: cluster, Before: number(was), After: number(now)})
}

// number is empty for none.
func number(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}

// move is how one result differs from another, found out once.
func (l *looking) move(was, now int32) *move {
	key := moveKey{was, now}
	if l.moves[key] == nil {
		l.moves[key] = l.compareResults(l.before.Results[was], l.after.Results[now])
	}
	return l.moves[key]
}

func (l *looking) compareResults(was, now propagate.Result) *move {
	m := &move{failure: now.Err}
	if was.Err != nil || now.Err != nil {
		return m
	}
	m.started, m.stopped = difference(policies(now), policies(was)), difference(policies(was), policies(now))
	if bytes.Equal(was.JSON, now.JSON) {
		return m
	}
	before, after := decoded(was), decoded(now)
	found := hunk.Compare(before, after, hunk.Options{Key: l.options.Key})
	m.differs = len(found) > 0
	m.hunks = l.hunks.of(found)
	m.immutable = hunk.Immutable(l.object.kind, before, after)
	m.renewed, _ = permit.Recreate(after)
	n, perNode := hunk.Restarted(l.object.kind, before, after)
	m.restarts, m.perNode, m.pods = n > 0 || perNode, perNode, int(n)
	return m
}

// policies are the overrides that changed it, sorted.
func policies(r propagate.Result) []string {
	names := map[string]bool{}
	for _, e := range r.Edits {
		names[e.Policy] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// difference is what is in one sorted list and not in another.
func difference(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool {
		_, both := slices.BinarySearch(b, s)
		return both
	})
}

// decoded is the object that a cluster is sent.
func decoded(r propagate.Result) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(r.JSON); err != nil { // impossible: the plan encoded an object with a kind
		panic(err)
	}
	return u
}
