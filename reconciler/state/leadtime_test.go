package state

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestLeadTime follows Releases through what can happen to them.
func TestLeadTime(t *testing.T) {
	commit := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return commit.Add(time.Duration(s) * time.Second) }
	release := func(name string, generation int64, conditions ...string) *v1alpha1.Release {
		r := &v1alpha1.Release{Spec: v1alpha1.ReleaseSpec{CommittedAt: &metav1.Time{Time: commit}}}
		r.Name, r.Generation = name, generation
		r.Status = saying(generation, conditions...)
		return r
	}
	var j leadTime
	r := release("a", 1)
	j.follow(r, saying(1, "Ready=Unknown"), at(1))
	j.follow(r, saying(1, "Applied=True", "Ready=Unknown"), at(3))
	require.Equal(t, uint64(1), j.applied.Count)
	require.Zero(t, j.healthy.Count)
	require.False(t, j.news)
	j.follow(r, saying(1, "Applied=True", "Ready=True"), at(8))
	require.Equal(t, uint64(1), j.healthy.Count)
	require.EqualValues(t, 8, j.healthy.Sum)
	require.True(t, j.news)
	j.news = false

	j.follow(r, saying(1, "Applied=Unknown", "Ready=False"), at(100))
	j.follow(r, saying(1, "Applied=True", "Ready=True"), at(200))
	require.Equal(t, uint64(1), j.healthy.Count, "a commit counts once")
	require.False(t, j.news, "and is told once")
	r.Generation = 2
	j.follow(r, saying(2, "Applied=True", "Ready=True"), at(300))
	require.Equal(t, uint64(1), j.healthy.Count, "a commit with another plan is not counted")
	require.True(t, j.news, "but told")

	j.follow(release("b", 1, "Applied=True", "Ready=True"), saying(1, "Applied=True", "Ready=True"), at(400))
	require.Equal(t, uint64(1), j.applied.Count, "what an earlier process brought there is not counted")
	require.False(t, j.news, "nor told")
	j.follow(release("c", 3, "Ready=Unknown"), saying(3, "Applied=True", "Ready=True"), at(500))
	require.Equal(t, uint64(1), j.applied.Count, "nor what had another plan before this process")
	early := release("d", 1)
	early.Spec.CommittedAt = &metav1.Time{Time: at(700)}
	j.follow(early, saying(1, "Applied=True", "Ready=True"), at(600))
	require.Equal(t, uint64(2), j.applied.Count)
	require.EqualValues(t, 3, j.applied.Sum, "a clock that goes ahead adds nothing")
}

// saying is a status with conditions, "Ready=True".
func saying(generation int64, conditions ...string) v1alpha1.ReleaseStatus {
	s := v1alpha1.ReleaseStatus{ObservedGeneration: generation}
	for _, c := range conditions {
		kind, value, _ := strings.Cut(c, "=")
		s.Conditions = append(s.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionStatus(value), ObservedGeneration: generation})
	}
	return s
}

func TestDurations(t *testing.T) {
	var d Durations
	for _, s := range []float64{0, 1, 1.5, 59, 1e6} {
		d.observe(time.Duration(s * float64(time.Second)))
	}
	require.EqualValues(t, 5, d.Count)
	require.InDelta(t, 1000061.5, d.Sum, 0.01)
	require.Equal(t, []uint64{2, 1, 0, 0, 0, 0, 1}, d.Counts[:7])
}
