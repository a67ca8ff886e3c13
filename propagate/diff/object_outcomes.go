package diff

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/status/kind"
)

// object holds the differences of one object.
type object struct {
	id            manifest.ID
	before, after *decision.Decision // nil on the side without the object
	kind          kind.Kind
	takesOver     bool // may overwrite existing objects, and could not before
	outcomes      []*outcome

	gained, lost []string // names of clusters
	replicas     []Value  // that differ
	// These hold clusters by the title of an override policy, or by the reason of the hold.
	started, stopped, held, released map[string][]string
}

// outcome is one action on an object with the clusters on which it is the same.
type outcome struct {
	action    Action
	message   string
	hunks     *hunks
	immutable []string
	recreated bool
	failure   error
	restarts  bool
	perNode   bool // pods restart on every node, a number that only the cluster knows
	held      bool // was held before, too: the cluster falls further behind
	leaving   bool // no longer placed there
	clusters  []string
	pods      []int // restarted pods, parallel to clusters
}

// groupKey returns equal keys for outcomes that a report shows as one. Messages of holds name the cluster, so they do
// not count.
func (s *outcome) groupKey() string {
	why := s.message
	if s.action == Hold {
		why = ""
	}
	return strings.Join([]string{string(s.action), s.hunks.digest(), why, strings.Join(s.immutable, ","), strconv.FormatBool(s.restarts), strconv.FormatBool(s.recreated)}, "\x00")
}

// at returns the place of the manifest.
func (o *object) at() manifest.Origin {
	if o.after != nil && o.after.Origin != (manifest.Origin{}) {
		return o.after.Origin
	}
	if o.before != nil {
		return o.before.Origin
	}
	return manifest.Origin{}
}

// compareClusters compares an object on all clusters of both sides.
func (c *comparison) compareClusters(id manifest.ID, before, after *propagate.ObjectPlan) *object {
	l := &objectComparison{
		comparison: c, before: before, after: after, outcomes: map[outcomeKey]*outcome{}, changes: map[resultPair]*resultChange{},
		object: &object{id: id, started: map[string][]string{}, stopped: map[string][]string{}, held: map[string][]string{}, released: map[string][]string{}},
	}
	var was, now []decision.Choice
	if before != nil {
		l.object.before, l.object.kind, was = before.Decision, before.Kind, before.Chosen
	}
	if after != nil {
		l.object.after, l.object.kind, now = after.Decision, after.Kind, after.Chosen
		l.object.takesOver = after.TakesOver && len(now) > 0 && (before == nil || !before.TakesOver)
	}
	for i, j := 0, 0; i < len(was) || j < len(now); {
		switch compareNext(was, i, now, j) {
		case -1:
			l.removed(i)
			i++
		case 1:
			l.added(j)
			j++
		default:
			l.retained(i, j)
			i, j = i+1, j+1
		}
	}
	return l.result()
}

// compareNext returns which of two sorted lists has the next cluster: -1 for was, 1 for now, 0 for both.
func compareNext(was []decision.Choice, i int, now []decision.Choice, j int) int {
	switch {
	case i == len(was):
		return 1
	case j == len(now):
		return -1
	}
	return strings.Compare(was[i].Cluster, now[j].Cluster)
}

// result returns the object, or nil if nothing differs.
func (l *objectComparison) result() *object {
	o := l.object
	o.outcomes = mergeOutcomes(l.outcomes)
	slices.SortFunc(o.outcomes, func(a, b *outcome) int {
		return cmp.Or(cmp.Compare(len(b.clusters), len(a.clusters)), cmp.Compare(a.groupKey(), b.groupKey()), cmp.Compare(a.clusters[0], b.clusters[0]))
	})
	if len(o.outcomes)+len(o.gained)+len(o.lost)+len(o.replicas)+len(o.started)+len(o.stopped)+len(o.held)+len(o.released) == 0 && !o.changesPolicy() && !o.takesOver {
		return nil
	}
	return o
}

// mergeOutcomes merges outcomes that differ only in the results they come from.
func mergeOutcomes(all map[outcomeKey]*outcome) []*outcome {
	type likeness struct {
		key, why string
		held     bool
		leaving  bool
	}
	found := map[likeness]*outcome{}
	for _, s := range all {
		like := likeness{s.groupKey(), s.message, s.held, s.leaving}
		if found[like] == nil {
			found[like] = s
			continue
		}
		found[like].clusters = append(found[like].clusters, s.clusters...)
		found[like].pods = append(found[like].pods, s.pods...)
	}
	var spans []*outcome
	for _, s := range found {
		sort.Sort(byCluster{s})
		spans = append(spans, s)
	}
	return spans
}

// byCluster sorts the clusters of an outcome together with their pods.
type byCluster struct{ *outcome }

func (s byCluster) Len() int           { return len(s.clusters) }
func (s byCluster) Less(i, j int) bool { return s.clusters[i] < s.clusters[j] }
func (s byCluster) Swap(i, j int) {
	s.clusters[i], s.clusters[j] = s.clusters[j], s.clusters[i]
	s.pods[i], s.pods[j] = s.pods[j], s.pods[i]
}

// changesPolicy reports whether another policy claims the object.
func (o *object) changesPolicy() bool {
	return o.before != nil && o.after != nil && policyTitle(o.before) != policyTitle(o.after)
}

// policyTitle returns the title of the policy that claims the object, "" if there is none.
func policyTitle(d *decision.Decision) string {
	if d == nil || d.Policy == nil {
		return ""
	}
	return d.Policy.Title()
}
