package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/view/page"
)

func TestPageHasTheUrgentFirst(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	s := Status{Federation: "checkout", Namespace: "shop", Revision: "main@sha1:4f2c9e1a0b3c", Release: "r", Verdict: verdictUnreachable, Summary: v1alpha1.Summary{Total: 20, Healthy: 17}}
	for i := range ManyClusters + 1 {
		s.Clusters = append(s.Clusters, ClusterStatus{Cluster: fmt.Sprintf("eu-%d", i), State: v1alpha1.Healthy, Revision: "main@sha1:1b77d03ffff"})
	}
	s.Clusters = append(s.Clusters,
		ClusterStatus{Cluster: "fine", State: v1alpha1.Healthy, Revision: s.Revision, Current: true},
		ClusterStatus{Cluster: "orphans", State: v1alpha1.Healthy, Revision: s.Revision, Current: true, Orphans: 2},
		ClusterStatus{Cluster: "moves", State: v1alpha1.Progressing},
		ClusterStatus{Cluster: "silent", State: v1alpha1.Unreachable},
		ClusterStatus{Cluster: "fails", State: v1alpha1.Failed})
	got := report{status: s}.page("", now)
	var order []string
	for _, c := range got.Clusters {
		order = append(order, c.Name)
	}
	require.Equal(t, []string{"fails", "silent", "moves", "orphans", "fine"}, order)
	require.Len(t, got.Folded, 1)
	require.Equal(t, "1b77d03", got.Folded[0].On, "many clusters with nothing to tell are folded")
	require.Len(t, got.Folded[0].Clusters, ManyClusters+1)
	require.Equal(t, []string{"+2 of 20 clusters have received nothing yet"}, got.Rest)
	require.Equal(t, "accord get clusters", got.Command)

	ready := report{status: Status{Federation: "platform", Namespace: "shop", Verdict: verdictReady}}
	var b strings.Builder
	require.NoError(t, writePage(&b, []report{ready, {status: s}}, PageOptions{}, "", now))
	require.Less(t, strings.Index(b.String(), "#shop.checkout"), strings.Index(b.String(), "#shop.platform"), "the index begins with what needs attention")
}

func TestSplitStep(t *testing.T) {
	for step, want := range map[string][2]string{
		"accord get clusters":                    {"", "accord get clusters"},
		"kubectl describe federation checkout":   {"", "kubectl describe federation checkout"},
		"correct it; or: accord resume standard": {"correct it; or:", "accord resume standard"},
		progress.NextMistake:                     {progress.NextMistake, ""},
	} {
		words, command := splitStep(step)
		require.Equal(t, want, [2]string{words, command})
	}
	require.Equal(t, page.Warn, verdictTone(verdictApproval), "what waits for a person is not green")
}
