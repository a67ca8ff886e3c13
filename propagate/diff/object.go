package diff

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/status/kind"
)

// object is what there is to say about one object.
type object struct {
	id            manifest.ID
	before, after *propagate.Decision // nil where it is not there
	kind          kind.Kind
	takesOver     bool // what exists on clusters and is not ours, which it did not before
	spans         []*span

	gained, lost []string // clusters
	replicas     []Value  // that differ
	// by what it is about, the clusters: an override policy, or why the object is held.
	started, stopped, held, released map[string][]string
}

// span is what happens to an object alike on several clusters.
type span struct {
	verb      Verb
	why       string
	hunks     *hunks
	immutable []string
	renewed   bool
	failure   error
	restarts  bool
	perNode   bool // pods restart on every node, and nobody here knows how many there are
	held      bool // before, too: it falls behind further
	leaving   bool // it is no longer wanted there
	clusters  []string
	pods      []int // that restart, parallel to clusters
}

// key is the same for spans in which the same happens. What is held is held for reasons that name the cluster.
func (s *span) key() string {
	why := s.why
	if s.verb == Hold {
		why = ""
	}
	return strings.Join([]string{string(s.verb), s.hunks.print(), why, strings.Join(s.immutable, ","), strconv.FormatBool(s.restarts), strconv.FormatBool(s.renewed)}, "\x00")
}

// at is where the manifest stands.
func (o *object) at() manifest.Origin {
	if o.after != nil && o.after.Origin != (manifest.Origin{}) {
		return o.after.Origin
	}
	if o.before != nil {
		return o.before.Origin
	}
	return manifest.Origin{}
}

// look goes through the clusters of an object on both sides.
func (c *comparison) look(id manifest.ID, before, after *propagate.ObjectPlan) *object {
	l := &looking{
		comparison: c, before: before, after: after, spans: map[spanKey]*span{}, moves: map[moveKey]*move{},
		object: &object{id: id, started: map[string][]string{}, stopped: map[string][]string{}, held: map[string][]string{}, released: map[string][]string{}},
	}
	var was, now []propagate.Choice
	if before != nil {
		l.object.before, l.object.kind, was = before.Decision, before.Kind, before.Chosen
	}
	if after != nil {
		l.object.after, l.object.kind, now = after.Decision, after.Kind, after.Chosen
		l.object.takesOver = after.TakesOver && len(now) > 0 && (before == nil || !before.TakesOver)
	}
	for i, j := 0, 0; i < len(was) || j < len(now); {
		switch order(was, i, now, j) {
		case -1:
			l.leaves(i)
			i++
		case 1:
			l.comes(j)
			j++
		default:
			l.stays(i, j)
			i, j = i+1, j+1
		}
	}
	return l.result()
}

// order says which of two sorted lists has the next cluster; 0 for both.
func order(was []propagate.Choice, i int, now []propagate.Choice, j int) int {
	switch {
	case i == len(was):
		return 1
	case j == len(now):
		return -1
	}
	return strings.Compare(was[i].Cluster, now[j].Cluster)
}

// result is the object, or nil when nothing is to be said about it.
func (l *looking) result() *object {
	o := l.object
	o.spans = merged(l.spans)
	slices.SortFunc(o.spans, func(a, b *span) int {
		return cmp.Or(cmp.Compare(len(b.clusters), len(a.clusters)), cmp.Compare(a.key(), b.key()), cmp.Compare(a.clusters[0], b.clusters[0]))
	})
	if len(o.spans)+len(o.gained)+len(o.lost)+len(o.replicas)+len(o.started)+len(o.stopped)+len(o.held)+len(o.released) == 0 && !o.moves() && !o.takesOver {
		return nil
	}
	return o
}

// merged are spans without those that only come from other results: the same may be done to things that differ.
func merged(all map[spanKey]*span) []*span {
	type likeness struct {
		key, why string
		held     bool
		leaving  bool
	}
	found := map[likeness]*span{}
	for _, s := range all {
		like := likeness{s.key(), s.why, s.held, s.leaving}
		if found[like] == nil {
			found[like] = s
			continue
		}
		found[like].clusters = append(found[like].clusters, s.clusters...)
		found[like].pods = append(found[like].pods, s.pods...)
	}
	var spans []*span
	for _, s := range found {
		sort.Sort(byCluster{s})
		spans = append(spans, s)
	}
	return spans
}

// byCluster sorts the places of a span.
type byCluster struct{ *span }

func (s byCluster) Len() int           { return len(s.clusters) }
func (s byCluster) Less(i, j int) bool { return s.clusters[i] < s.clusters[j] }
func (s byCluster) Swap(i, j int) {
	s.clusters[i], s.clusters[j] = s.clusters[j], s.clusters[i]
	s.pods[i], s.pods[j] = s.pods[j], s.pods[i]
}

// moves says that another policy claims it.
func (o *object) moves() bool {
	return o.before != nil && o.after != nil && title(o.before) != title(o.after)
}

// title is that of the policy that claims the object; empty for none.
func title(d *propagate.Decision) string {
	if d == nil || d.Policy == nil {
		return ""
	}
	return d.Policy.Title()
}
