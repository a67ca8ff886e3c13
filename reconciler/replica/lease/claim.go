package lease

import (
	"cmp"
	"slices"
	"strings"
)

// member is one process: a replica that is restarted under the same name is another member.
type member struct{ identity, incarnation string }

func (m member) String() string { return m.identity + "@" + m.incarnation }

// set has the members that share the clusters, sorted, each once.
type set []member

func newSet(members []member) set {
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(strings.Compare(a.identity, b.identity), strings.Compare(a.incarnation, b.incarnation))
	})
	return slices.Compact(members)
}

// String returns the set in the form of ActsOnAnnotation. Two sets are equal if and only if their strings are.
func (s set) String() string {
	names := make([]string, len(s))
	for i, m := range s {
		names[i] = m.String()
	}
	return strings.Join(names, ",")
}

// identities returns the names of the members, sorted, each once.
func (s set) identities() []string {
	names := make([]string, len(s))
	for i, m := range s {
		names[i] = m.identity
	}
	return slices.Compact(names)
}

// claim decides which clusters one replica owns. It is a rule and not a list, because this package does not know the names of
// the clusters. A claim is immutable.
type claim struct {
	self     string
	members  set        // the set acted on
	replicas []string   // names of the members
	agreed   []string   // names of the last set that all acted on; nil before the first
	since    [][]string // names of the sets acted on since then, without repetition
}

// owns reports whether the set last agreed on and every set since assign the cluster to this replica. A set in between counts
// although it is over: under that set the replica released the cluster, and another one may have taken it over.
func (c *claim) owns(cluster string) bool {
	if c == nil || c.agreed == nil || Owner(cluster, c.agreed) != c.self {
		return false
	}
	return !slices.ContainsFunc(c.since, func(names []string) bool { return Owner(cluster, names) != c.self })
}

// narrowed returns the claim of a replica that begins to act on members: it adds no cluster, and may remove some.
func (c *claim) narrowed(members set) *claim {
	names := members.identities()
	next := &claim{self: c.self, members: members, replicas: names, agreed: c.agreed, since: c.since}
	if !slices.ContainsFunc(c.since, func(before []string) bool { return slices.Equal(before, names) }) {
		next.since = append(slices.Clone(c.since), names)
	}
	return next
}

// settled returns the claim once all members act on the set.
func (c *claim) settled() *claim {
	return &claim{self: c.self, members: c.members, replicas: c.replicas, agreed: c.replicas}
}

// isSettled reports whether all members agreed on the set acted on.
func (c *claim) isSettled() bool { return c.agreed != nil && len(c.since) == 0 }
