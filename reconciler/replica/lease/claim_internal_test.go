package lease

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func setOf(identities ...string) set {
	var all []member
	for _, identity := range identities {
		all = append(all, member{identity, "1"})
	}
	return newSet(all)
}

// TestClaimKeepsClustersOfEverySet changes the set twice before anybody agrees: a cluster that was released in between stays
// released although the last set assigns it to the replica again.
func TestClaimKeepsClustersOfEverySet(t *testing.T) {
	var none *claim
	require.False(t, none.owns("c"))
	before := (&claim{self: "a"}).narrowed(setOf("a", "b"))
	require.False(t, before.owns("c"), "nothing was agreed on")
	agreed := before.settled()
	between := agreed.narrowed(setOf("a", "b", "c"))
	after := between.narrowed(setOf("a", "b"))
	require.False(t, after.isSettled())

	kept, lost := 0, 0
	for i := range 1000 {
		cluster := fmt.Sprint("cluster-", i)
		mine := Owner(cluster, []string{"a", "b"}) == "a"
		require.Equal(t, mine, agreed.owns(cluster))
		require.Equal(t, mine && Owner(cluster, []string{"a", "b", "c"}) == "a", between.owns(cluster))
		require.Equal(t, between.owns(cluster), after.owns(cluster))
		require.Equal(t, mine, after.settled().owns(cluster))
		if after.owns(cluster) {
			kept++
		} else if mine {
			lost++
		}
	}
	require.Positive(t, kept)
	require.Positive(t, lost)
	require.Len(t, after.narrowed(setOf("a", "b", "c")).since, 2, "a set that comes again adds nothing")
}

func TestAgreementNeedsEveryMember(t *testing.T) {
	members := setOf("a", "b")
	a := record{member: members[0], actsOn: members.String()}
	b := record{member: members[1], actsOn: members.String()}
	other, left, restarted := b, b, b
	other.actsOn = setOf("a", "b", "c").String()
	left.left = true
	restarted.incarnation = "2"

	require.True(t, agree([]record{b, a}, members))
	require.False(t, agree([]record{a}, members), "b has no Lease")
	require.False(t, agree([]record{a, other}, members), "b acts on another set")
	require.False(t, agree([]record{a, left}, members), "b has left")
	require.False(t, agree([]record{a, restarted}, members), "b is another process")
	require.True(t, agree([]record{a, b, {member: member{"c", "1"}}}, members), "c is not among them")
}
