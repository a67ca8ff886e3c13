package view

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestDefectF30UnchangedCommitsShareARow: commits of a monorepo that do not touch the path of the federation are noise.
func TestDefectF30UnchangedCommitsShareARow(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	entry := func(commit, plan, result string) HistoryEntry {
		return HistoryEntry{Revision: "main@sha1:" + commit, PlanDigest: plan, Result: result, Began: metav1.Time{Time: now.Add(-time.Minute)}}
	}
	h := History{Title: "shop", Releases: []HistoryEntry{
		entry("6666666", "b", endedNot), entry("5555555", "b", endedDone), entry("4444444", "a", endedDone),
		entry("3333333", "a", endedSuperseded), entry("2222222", "a", endedDone), entry("1111111", "", endedFailed),
	}}
	var b strings.Builder
	require.NoError(t, h.Write(&b, now))
	require.Contains(t, b.String(), "  4444444   60s ago      unchanged since 2222222 (2 commits)")
	require.NotContains(t, b.String(), "3333333")
	for _, own := range []string{"6666666", "5555555", "2222222", "1111111"} {
		require.Contains(t, b.String(), "\n  "+own+"  ", own)
	}
}
