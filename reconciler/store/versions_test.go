package store

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestDefectR8AnEditBetweenTwoWrites: somebody edits the spec between two writes of accord. The second write is newer than the
// edit, and does not make the edit accord's.
func TestDefectR8AnEditBetweenTwoWrites(t *testing.T) {
	v, release := newVersions(), &v1alpha1.Release{}
	_, ok := v.isKnown(release, 4)
	require.False(t, ok, "accord has not read it")
	v.read(release, "4")
	v.note(release, "7")
	v.note(release, "5") // answers may arrive in any order
	for version, want := range map[uint64]bool{3: true, 4: true, 5: true, 6: false, 7: true, 8: false} {
		known, ok := v.isKnown(release, version)
		require.True(t, ok)
		require.Equal(t, want, known, version)
	}
	for n := 10; n < 10+2*keptVersions; n++ {
		v.note(release, strconv.Itoa(n))
	}
	known, _ := v.isKnown(release, 6)
	require.True(t, known, "its event is long past")
	known, _ = v.isKnown(release, 10+2*keptVersions)
	require.False(t, known)
	v.drop(release)
	_, ok = v.isKnown(release, 4)
	require.False(t, ok)
}

// A version of a write without an answer is not known yet: its event may arrive before the answer.
func TestAWriteEndsAfterItsVersionIsKnown(t *testing.T) {
	v, release := newVersions(), &v1alpha1.Release{}
	first, second := v.begin(release), v.begin(release)
	require.True(t, v.isWriting(release))
	require.False(t, v.isWriting(&v1alpha1.Delivery{}))
	v.note(release, "5")
	first()
	require.True(t, v.isWriting(release))
	second()
	require.False(t, v.isWriting(release))
	require.Empty(t, v.writing)
}
