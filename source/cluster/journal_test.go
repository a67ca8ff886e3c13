package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// filesOf returns the set of files with some contents.
func filesOf(contents map[string]string) *node {
	var root *node
	for path, content := range contents {
		root = root.with(newFile(path, []byte(content)))
	}
	return root
}

func snapshotAt(selection string, contents map[string]string) past {
	return past{snapshotOf("prod", filesOf(contents)), selection}
}

func content(t *testing.T, h *History, revision, path string) string {
	t.Helper()
	s, found := h.At(revision)
	require.True(t, found)
	text, err := s.FS.(tree).ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// TestHistorySurvives: a new process has the snapshots of the one before, for the same owner and selection.
func TestHistorySurvives(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live", "dr", "prod.snapshots")
	h, err := OpenHistory(path, "uid-1")
	require.NoError(t, err)
	_, _, found := h.Last("a")
	require.False(t, found)
	one, two := snapshotAt("a", map[string]string{"x": "1", "y": "1"}), snapshotAt("a", map[string]string{"x": "2"})
	two.Time = time.Unix(1000, 5).UTC()
	require.NoError(t, h.add(one))
	require.NoError(t, h.add(two))

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "the objects may have Secrets")
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	h, err = OpenHistory(path, "uid-1")
	require.NoError(t, err)
	last, seen, found := h.Last("a")
	require.True(t, found)
	require.Equal(t, two.Revision, last.Revision)
	require.Equal(t, two.Time, last.Time)
	require.WithinDuration(t, time.Now(), seen, time.Minute)
	require.Equal(t, "1", content(t, h, one.Revision, "y"))
	require.Equal(t, "2", content(t, h, two.Revision, "x"))
	_, _, found = h.Last("b")
	require.False(t, found, "another selection, or another account, read these objects")

	h.confirm()
	require.NoError(t, h.add(snapshotAt("b", map[string]string{"x": "2"})), "the same objects, read with another selection")
	h, err = OpenHistory(path, "uid-1")
	require.NoError(t, err)
	_, _, found = h.Last("b")
	require.True(t, found)

	h, err = OpenHistory(path, "uid-2")
	require.NoError(t, err)
	_, found = h.At(one.Revision)
	require.False(t, found, "another Federation had the name before")
}

// TestDamagedHistory: whatever byte of the file is missing or wrong, no snapshot has other objects than its revision says.
func TestDamagedHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.snapshots")
	h, err := OpenHistory(path, "uid")
	require.NoError(t, err)
	var all []past
	for i := range 4 {
		all = append(all, snapshotAt("a", map[string]string{"x": fmt.Sprint(i), "y": "1"}))
		require.NoError(t, h.add(all[i]))
	}
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	check := func(damaged []byte) (kept int) {
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		h, _ := OpenHistory(path, "uid")
		for i, p := range all {
			if _, found := h.At(p.Revision); found {
				kept++
				require.Equal(t, fmt.Sprint(i), content(t, h, p.Revision, "x"))
				require.Equal(t, "1", content(t, h, p.Revision, "y"))
			}
		}
		for _, p := range h.snapshots {
			require.Equal(t, p.Revision, snapshotOf("", p.root()).Revision)
		}
		return kept
	}
	require.Equal(t, 4, check(whole))
	require.Equal(t, 3, check(whole[:len(whole)-1]))
	h, err = OpenHistory(path, "uid")
	require.ErrorContains(t, err, "is damaged after 3 snapshots")
	require.NoError(t, h.add(all[3]))
	_, err = OpenHistory(path, "uid")
	require.NoError(t, err, "the next snapshot mends the file")
	for i := range whole {
		check(whole[:i])
		flipped := append([]byte{}, whole...)
		flipped[i] ^= 0x10
		check(flipped)
	}
}

// TestHistoryIsBounded: the file grows with the changes to a multiple of the kept snapshots, and no further. Snapshots that Releases
// name stay.
func TestHistoryIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.snapshots")
	h, err := OpenHistory(path, "uid")
	require.NoError(t, err)
	contents := map[string]string{}
	filler := string(make([]byte, 200<<10))
	for i := range 10 {
		contents[fmt.Sprint("object-", i)] = fmt.Sprint(i, filler)
	}
	first := snapshotAt("a", contents)
	require.NoError(t, h.add(first))
	h.Keep(map[string]bool{first.Revision: true})
	largest := int64(0)
	for i := range 100 {
		contents["object-0"] = fmt.Sprint("changed", i, filler)
		require.NoError(t, h.add(past{snapshotOf("prod", h.snapshots[len(h.snapshots)-1].root().with(newFile("object-0", []byte(contents["object-0"])))), "a"}))
		info, err := os.Stat(path)
		require.NoError(t, err)
		largest = max(largest, info.Size())
	}
	require.LessOrEqual(t, largest, int64(3*(10+newest)*len(filler)), "and not the 100 changes")
	h, err = OpenHistory(path, "uid")
	require.NoError(t, err)
	require.Equal(t, contents["object-1"], content(t, h, first.Revision, "object-1"))
	last, _, _ := h.Last("a")
	require.Equal(t, contents["object-0"], content(t, h, last.Revision, "object-0"))
}

// TestAFullDisk: the memory has the snapshot, and the error names the consequence.
func TestAFullDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "live")
	require.NoError(t, os.WriteFile(dir, nil, 0o600)) // no directory can be made here
	h, err := OpenHistory(filepath.Join(dir, "prod.snapshots"), "uid")
	require.Error(t, err)
	p := snapshotAt("a", map[string]string{"x": "1"})
	require.ErrorContains(t, h.add(p), "keeping the snapshots for a restart")
	require.Equal(t, "1", content(t, h, p.Revision, "x"))
}
