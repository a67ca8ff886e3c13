package counts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

func TestFiguresOfADelivery(t *testing.T) {
	var g Delivery
	g.Add("", nil)
	g.Add("Busy", nil)
	require.Equal(t, 1, g.Succeeded)
	require.Equal(t, map[string]int{"Busy": 1}, g.Failed)

	for i := range 3 * maxManagers {
		g.Add("", []live.Drift{{Manager: fmt.Sprint("manager-", i)}, {}})
	}
	require.Len(t, g.Drift, maxManagers+1, "managers that are named, and the rest")
	require.Equal(t, 3*maxManagers, g.Drift[unknownManager])
	total := 0
	for _, n := range g.Drift {
		total += n
	}
	require.Equal(t, 2*3*maxManagers, total, "none is lost")

	long := Delivery{}
	long.Add("", []live.Drift{{Manager: strings.Repeat("x", maxManagerName-1) + "é" + strings.Repeat("y", 50)}})
	require.Equal(t, map[string]int{strings.Repeat("x", maxManagerName-1): 1}, long.Drift)
}

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
	var j LeadTime
	r := release("a", 1)
	j.Observe(r, saying(1, "Ready=Unknown"), at(1))
	require.Equal(t, commit, j.Behind)
	newer := release("a2", 1)
	newer.Spec.CommittedAt = &metav1.Time{Time: at(1)}
	j.Observe(newer, saying(1, "Ready=Unknown"), at(2))
	require.Equal(t, commit, j.Behind, "the change of the superseded Release is not there either")
	j.Observe(r, saying(1, "Applied=True", "Ready=Unknown"), at(3))
	require.Zero(t, j.Behind)
	require.Equal(t, uint64(1), j.Applied.Count)
	require.Zero(t, j.Healthy.Count)
	require.False(t, j.readyNews)
	j.Observe(r, saying(1, "Applied=True", "Ready=True"), at(8))
	require.Equal(t, uint64(1), j.Healthy.Count)
	require.EqualValues(t, 8, j.Healthy.Sum)
	require.True(t, j.readyNews)
	j.readyNews = false

	j.Observe(r, saying(1, "Applied=Unknown", "Ready=False"), at(100))
	j.Observe(r, saying(1, "Applied=True", "Ready=True"), at(200))
	require.Equal(t, uint64(1), j.Healthy.Count, "a commit counts once")
	require.False(t, j.readyNews, "and is told once")
	r.Generation = 2
	j.Observe(r, saying(2, "Applied=True", "Ready=True"), at(300))
	require.Equal(t, uint64(1), j.Healthy.Count, "a commit with another plan is not counted")
	require.True(t, j.readyNews, "but told")

	j.Observe(release("b", 1, "Applied=True", "Ready=True"), saying(1, "Applied=True", "Ready=True"), at(400))
	require.Equal(t, uint64(1), j.Applied.Count, "what an earlier process brought there is not counted")
	require.False(t, j.readyNews, "nor told")
	j.Observe(release("c", 3, "Ready=Unknown"), saying(3, "Applied=True", "Ready=True"), at(500))
	require.Equal(t, uint64(1), j.Applied.Count, "nor what had another plan before this process")
	early := release("d", 1)
	early.Spec.CommittedAt = &metav1.Time{Time: at(700)}
	j.Observe(early, saying(1, "Applied=True", "Ready=True"), at(600))
	require.Equal(t, uint64(2), j.Applied.Count)
	require.EqualValues(t, 3, j.Applied.Sum, "a clock that goes ahead adds nothing")
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
