package lease

import (
	"cmp"
	"slices"
	"strings"
)

// member is one process: a replica that was restarted under its old name is another member.
type member struct{ identity, incarnation string }

func (m member) String() string { return m.identity + "@" + m.incarnation }

// set is the members that share the clusters, sorted, each once.
type set []member

func newSet(members []member) set {
	slices.SortFunc(members, func(a, b member) int {
		return cmp.Or(strings.Compare(a.identity, b.identity), strings.Compare(a.incarnation, b.incarnation))
	})
	return slices.Compact(members)
}

// String is the set as a Lease carries it: two sets are the same if and only if this is.
func (s set) String() string {
	names := make([]string, len(s))
	for i, m := range s {
		names[i] = m.String()
	}
	return strings.Join(names, ",")
}

// identities are the names of the members, sorted, each once.
func (s set) identities() []string {
	names := make([]string, len(s))
	for i, m := range s {
		names[i] = m.identity
	}
	return slices.Compact(names)
}

// claim decides which clusters one replica holds. It is a rule and not a list, because this package does not know the
// names of the clusters. It is an immutable value.
type claim struct {
	self     string
	members  set        // acted on
	replicas []string   // their names
	agreed   []string   // names of the last set that all acted on; nil before the first
	since    [][]string // names of the sets acted on since then, without repetition
}

// holds says whether the cluster was this replica's under the set last agreed on and under every one since. A set
// in between counts although it is over: under it the cluster was let go, and somebody else may have taken it.
func (c *claim) holds(cluster string) bool {
	if c == nil || c.agreed == nil || Owner(cluster, c.agreed) != c.self {
		return false
	}
	return !slices.ContainsFunc(c.since, func(names []string) bool { return Owner(cluster, names) != c.self })
}

// narrowed is the claim of a replica that begins to act on members: nothing new, and less of the old.
func (c *claim) narrowed(members set) *claim {
	names := members.identities()
	next := &claim{self: c.self, members: members, replicas: names, agreed: c.agreed, since: c.since}
	if !slices.ContainsFunc(c.since, func(before []string) bool { return slices.Equal(before, names) }) {
		next.since = append(slices.Clone(c.since), names)
	}
	return next
}

// settled is the claim once all members act on the set.
func (c *claim) settled() *claim {
	return &claim{self: c.self, members: c.members, replicas: c.replicas, agreed: c.replicas}
}

// isSettled says whether the set acted on is the one agreed on.
func (c *claim) isSettled() bool { return c.agreed != nil && len(c.since) == 0 }
