package releases

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func release(name string, generation int64) *v1alpha1.Release {
	r := &v1alpha1.Release{}
	r.Name, r.Generation = name, generation
	return r
}

// begin writes the Release of a revision before it is planned.
func begin(t *testing.T, s *State, name string) {
	t.Helper()
	require.True(t, s.Begin(release(name, 0)))
	r := s.TakeBegin()
	require.Equal(t, name, r.Name)
	require.Nil(t, s.TakeBegin(), "it is written once")
	r.Generation = 1
	s.NoteBegun(r)
}

func names(s *State) (all []string) {
	for _, r := range s.All() {
		all = append(all, r.Name)
	}
	return all
}

func TestABegunReleaseGetsItsDigestLater(t *testing.T) {
	s := New()
	require.False(t, s.Begin(release("a", 0)), "nothing is known of the hub before the first plan")
	s.Succeed(release("a", 0))
	require.True(t, s.Acknowledge(release("a", 1)))
	require.False(t, s.Begun)
	require.False(t, s.Begin(release("a", 0)), "the hub has it")

	begin(t, &s, "b")
	require.False(t, s.Begin(release("b", 0)), "the hub has it")
	require.Equal(t, []string{"a"}, names(&s), "it claims nothing before its plan is made")
	b := release("b", 0)
	b.Spec.PlanDigest = "sha256:b"
	s.Succeed(b)
	require.True(t, s.Begun)
	require.EqualValues(t, 1, b.Generation)
	require.EqualValues(t, 2, s.Generation(), "the digest raises it")
	without := release("b", 1)
	require.True(t, s.Acknowledge(without))
	require.True(t, s.Begun, "the hub still lacks the digest")
	with := release("b", 2)
	with.Spec.PlanDigest = "sha256:b"
	require.True(t, s.Acknowledge(with))
	require.False(t, s.Begun)
	require.EqualValues(t, 2, s.Generation())
}

func TestAnAnswerAfterTheRevisionIsPlanned(t *testing.T) {
	s := New()
	s.Succeed(release("a", 1))
	require.True(t, s.Begin(release("b", 0)))
	r := s.TakeBegin()
	s.Succeed(release("b", 0))
	require.False(t, s.Begun, "the hub has not answered")
	r.Generation = 1
	s.NoteBegun(r)
	require.True(t, s.Begun)
	require.EqualValues(t, 1, s.Newest.Generation)
}

func TestBegunReleasesOfRevisionsThatWereNotPlanned(t *testing.T) {
	s := New()
	s.Succeed(release("a", 1))
	begin(t, &s, "b")
	begin(t, &s, "c")
	s.Succeed(release("d", 1))
	require.Equal(t, []string{"d", "c", "b", "a"}, names(&s), "they are superseded, and deleted at last")
	require.False(t, s.Begun)
}

func TestAnOlderReleaseWithoutItsDigest(t *testing.T) {
	s := New()
	s.Succeed(release("a", 1))
	begin(t, &s, "b")
	s.Succeed(release("b", 0))
	s.Succeed(release("c", 1))
	require.True(t, s.IsUndigested("b"))
	require.False(t, s.IsUndigested("a"))
	require.False(t, s.Begun)

	s.Succeed(release("b", 0))
	require.True(t, s.Begun, "the same commit again: the hub still lacks the digest")
	require.False(t, s.IsUndigested("b"))
	s.Succeed(release("b", 0))
	require.True(t, s.Begun, "another plan of the commit")
	s.Succeed(release("d", 1))
	require.False(t, s.Acknowledge(release("b", 2)), "the answer to a write that began before")
	require.False(t, s.IsUndigested("b"))
	require.EqualValues(t, 2, s.Older[0].Generation)
}
