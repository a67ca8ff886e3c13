package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// TestAlive lists twice: the first LIST, sent at 0 s and answered at 3 s, has b in version 1.
func TestAlive(t *testing.T) {
	b := func(incarnation, version, uid string, left bool) record {
		return record{member: member{"b", incarnation}, version: version, uid: types.UID(uid), left: left}
	}
	alive := []member{{"b", "1"}}
	cases := map[string]struct {
		began, answered int
		records         []record
		want            []member
	}{
		"unchanged for less than the duration since the answer": {17, 17, []record{b("1", "1", "x", false)}, alive},
		"unchanged for the duration":                            {18, 18, []record{b("1", "1", "x", false)}, nil},
		"the list was under way while the duration ran out":     {5, 30, []record{b("1", "1", "x", false)}, alive},
		"renewed":                           {18, 18, []record{b("1", "2", "x", false)}, alive},
		"left":                              {4, 4, []record{b("1", "2", "x", true)}, nil},
		"deleted by somebody":               {17, 17, nil, alive},
		"deleted, renewed unseen before":    {18, 18, nil, alive},
		"taken over by another incarnation": {4, 4, []record{b("2", "2", "x", false)}, []member{{"b", "2"}}},
		"deleted and created by another":    {4, 4, []record{b("2", "2", "y", false)}, []member{{"b", "1"}, {"b", "2"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
			s := peers{}
			s.observe([]record{b("1", "1", "x", false)}, at(0), at(3), 15*time.Second)
			s.observe(c.records, at(c.began), at(c.answered), 15*time.Second)
			require.Equal(t, set(c.want), newSet(s.alive(at(c.began), 15*time.Second)))
		})
	}
}

// TestADeletedLease lists every second; somebody deletes the Lease of b before the third LIST.
func TestADeletedLease(t *testing.T) {
	const duration = 15 * time.Second
	start := time.Now()
	b := record{member: member{"b", "1"}, version: "1", uid: "x"}
	s := peers{}
	list := func(second int, records ...record) int {
		at := start.Add(time.Duration(second) * time.Second)
		s.observe(records, at, at, duration)
		return len(s.alive(at, duration))
	}
	require.Equal(t, 1, list(0, b))
	require.Equal(t, 1, list(1, b))
	require.Equal(t, 1, list(2))
	require.Equal(t, 1, list(16), "b may have renewed its Lease after second 1")
	require.Equal(t, 0, list(17), "for a duration b did not write its Lease again")

	require.Equal(t, 1, list(20, b))
	require.Equal(t, 1, list(21))
	require.Equal(t, 1, list(22, b), "b wrote its Lease again")
	require.Equal(t, 1, list(36, b))
	require.Equal(t, 0, list(37, b))
	require.Equal(t, 0, list(38), "b was dead when its Lease was last read")
}

func TestObsoleteLeases(t *testing.T) {
	start := time.Now()
	s := peers{}
	s.observe([]record{{member: member{"dead", "1"}, version: "1"}, {member: member{"gone", "1"}, version: "1", left: true}}, start, start, time.Second)
	names := func(after time.Duration) []string {
		var all set
		for _, r := range s.obsolete(start.Add(after), time.Second) {
			all = append(all, r.member)
		}
		return newSet(all).identities()
	}
	require.Empty(t, names(time.Second-1), "somebody may not have seen yet that it left")
	require.Equal(t, []string{"gone"}, names(time.Second))
	require.Equal(t, []string{"gone"}, names(10*time.Second-1))
	require.Equal(t, []string{"dead", "gone"}, names(10*time.Second))
}
