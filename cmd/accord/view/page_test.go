package view

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
)

// TestPage compares the sample of a rollout in docs/how-to/rollouts.md with the output for such a rollout.
func TestPage(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 16, 20, 0, time.UTC)
	before := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(-d)} }
	late := `to become healthy: apps/Deployment shop/api: 1 of 2 updated, 2 of 2 available; ImagePullBackOff: Back-off pulling image "api:1.8.2" (pod api-5f7c)`
	r := Status{Federation: "checkout", Revision: "main@sha1:4f2c9e1a0b3c", Rollouts: []v1alpha1.RolloutStatus{{
		Policy: "standard", ID: "sha256:1f0c9e21aa04ff", Phase: "Progressing", StartedAt: before(14 * time.Minute), Stage: "europe", StageIndex: 2, Message: "eu-7 has " + late,
		Stages: []v1alpha1.StageStatus{
			{Name: "canary", Clusters: 1, UpdatedClusters: 1, Healthy: 1, Message: "completed 12:03:40, soaked 10m"},
			{Name: "europe", Clusters: 12, UpdatedClusters: 9, Healthy: 8, Message: "3 pending; eu-7 has " + late},
			{Name: "world", Clusters: 17, Message: "waits for europe"},
		},
		WaitingFor: &v1alpha1.WaitingFor{Cluster: "eu-7", Message: late, Since: before(130 * time.Second), Deadline: before(-470 * time.Second)},
	}}}
	require.Equal(t, "stage 2 of 3", r.stageProgress())
	var b strings.Builder
	require.NoError(t, r.writeStages(&b, now))
	golden.Quote(t, "../../../docs/how-to/rollouts.md", b.String())
}
