package progress

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestDefectF6APassedCommitIsSuperseded: the hub read a newer commit that contains this one. Only a checkout with both commits shows
// that.
func TestDefectF6APassedCommitIsSuperseded(t *testing.T) {
	older, newer := strings.Repeat("a", 40), strings.Repeat("b", 40)
	fed := &v1alpha1.Federation{}
	fed.Status.LastAttemptedRevision = "main@sha1:" + newer
	asked := 0
	history := func(contained, known bool) func(context.Context, string, string) (bool, bool) {
		return func(_ context.Context, a, b string) (bool, bool) {
			asked++
			return contained && a == newer && b == older, known
		}
	}
	now := time.Unix(0, 0)
	for name, c := range map[string]struct {
		contains func(context.Context, string, string) (bool, bool)
		result   Result
		note     string
	}{
		"the newer commit contains it": {history(true, true), Superseded, ""},
		"it is newer than the hub":     {history(false, true), "", ""},
		"a shallow checkout":           {history(false, false), "", "which may contain this commit"},
		"no checkout":                  {nil, "", "which may contain this commit"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &Wait{Commit: older, Contains: c.contains}
			for range 2 {
				s := w.located(t.Context(), Snapshot{}, fed, nil)
				require.Equal(t, c.result, Judge(s, Goal{Started: now, Deadline: now.Add(time.Minute)}, now).Result)
				require.Contains(t, s.Note, c.note)
			}
		})
	}
	require.Equal(t, 3, asked, "each checkout answers once")

	w := &Wait{Commit: older, Contains: history(true, true)}
	require.Empty(t, w.located(t.Context(), Snapshot{Release: "shop-aaaa"}, fed, nil).PassedBy, "it has a Release")

	fed.Status.LastAttemptedRevision = "main@sha1:" + older
	itself := &Wait{Commit: older[:7], Contains: func(context.Context, string, string) (bool, bool) { return true, true }}
	s := itself.located(t.Context(), Snapshot{}, fed, nil)
	require.Empty(t, s.PassedBy, "the hub has read this commit, and writes its Release")
	require.Empty(t, s.Note)
}
