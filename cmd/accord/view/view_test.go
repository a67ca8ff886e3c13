package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/status"
)

// TestViewsOfManyClusters: many healthy clusters share a line, and every cluster is counted.
func TestViewsOfManyClusters(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	report := Status{
		Federation: "prod", Release: "prod-1", Verdict: verdictRolling, Revision: "main@sha1:4f2c9e1a0b3c",
		Summary: v1alpha1.Summary{Total: 32, Healthy: 28, Progressing: 4},
	}
	var fleet fleetView
	fleet = append(fleet, clusterRow{name: "ap-2", state: memberUnreachable, note: "timeout"}, clusterRow{name: "ap-3", state: memberUnknown})
	for i := range 28 {
		name := fmt.Sprintf("eu-%d", i)
		report.Clusters = append(report.Clusters, ClusterStatus{Cluster: name, State: v1alpha1.Healthy, Revision: report.Revision, Current: true})
		fleet = append(fleet, clusterRow{name: name, state: memberReady})
	}
	report.Clusters = append(report.Clusters,
		ClusterStatus{Cluster: "us-1", State: v1alpha1.Progressing, Note: "on its way"},
		ClusterStatus{Cluster: "us-2", State: v1alpha1.Healthy, Revision: report.Revision, Current: true, Orphans: 3})

	var b strings.Builder
	require.NoError(t, report.Write(&b, now))
	require.NotContains(t, b.String(), "eu-7")
	require.Contains(t, b.String(), "us-1")
	require.Contains(t, b.String(), "3 orphaned")
	require.Contains(t, b.String(), "+28 Healthy on 4f2c9e1\n")
	require.Contains(t, b.String(), "+2 of 32 clusters have received nothing yet\n")
	require.Contains(t, b.String(), "next: accord wait prod")

	b.Reset()
	require.NoError(t, fleet.write(&b, false, now))
	require.True(t, strings.HasPrefix(b.String(), "28 of 30 reachable.  ap-2 UNREACHABLE (timeout), and 1 more\n"), b.String())
	require.NotContains(t, b.String(), "eu-7")
	require.Contains(t, b.String(), "+28 Ready (all with -o wide)\n")

	b.Reset()
	require.NoError(t, fleet.write(&b, true, now))
	require.Contains(t, b.String(), "eu-7")
}

// TestViewOfLeavingClusters: a cluster that is being deleted is not counted to the fleet, and its note has the reason why it
// still exists.
func TestViewOfLeavingClusters(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	cluster := func(name string, finalizers ...string) v1alpha1.Cluster {
		c := v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: finalizers}}
		c.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, LastTransitionTime: metav1.Time{Time: now.Add(-time.Hour)}}}
		if len(finalizers) > 0 {
			c.DeletionTimestamp = &metav1.Time{Time: now.Add(-7 * time.Second)}
		}
		return c
	}
	var b strings.Builder
	view := newFleetView([]v1alpha1.Cluster{
		cluster("ap-1"), cluster("eu-1", "example.com/backup"), cluster("eu-2", v1alpha1.RecordRemovalFinalizer, "example.com/backup"),
	}, nil)
	require.NoError(t, view.write(&b, false, now))
	require.Contains(t, b.String(), "1 of 1 reachable.  2 leaving.\n")
	require.Regexp(t, `eu-1 +Leaving +7s .*kept by example.com/backup\n`, b.String())
	require.Regexp(t, `eu-2 +Leaving +7s .*waits until the controllers record the objects that stay there \(at most a minute\)\n`, b.String())
}

// TestViewOfTaints: a cordoned cluster is shown as kubectl shows a node, and one that is Ready and does not answer has a note.
func TestViewOfTaints(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	cluster := func(name string, ready metav1.ConditionStatus, message string, taints ...corev1.Taint) v1alpha1.Cluster {
		c := v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.ClusterSpec{Taints: taints}}
		c.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: ready, LastTransitionTime: metav1.Time{Time: now.Add(-time.Hour)}, Message: message}}
		return c
	}
	cordon := corev1.Taint{Key: v1alpha1.TaintUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	lost := cluster("ap-2", metav1.ConditionFalse, "timeout", cordon)
	lost.Status.Taints = []corev1.Taint{{Key: v1alpha1.TaintNotReady, Effect: corev1.TaintEffectNoExecute}}
	all := []v1alpha1.Cluster{
		cluster("ap-1", metav1.ConditionTrue, status.ClusterAnswers, cordon), lost, cluster("ap-3", metav1.ConditionTrue, "no answer since noon"),
	}
	for i := range ManyClusters + 1 {
		all = append(all, cluster(fmt.Sprintf("eu-%d", i), metav1.ConditionTrue, status.ClusterAnswers))
	}
	var b strings.Builder
	view := newFleetView(all, nil)
	require.NoError(t, view.write(&b, false, now))
	require.Regexp(t, `(?m)^ap-1 +Ready,SchedulingDisabled +60m`, b.String())
	require.Regexp(t, `(?m)^ap-2 +Unreachable,SchedulingDisabled +60m.* timeout$`, b.String())
	require.Regexp(t, `(?m)^ap-3 +Ready +60m.* no answer since noon$`, b.String())
	require.Contains(t, b.String(), fmt.Sprintf("+%d Ready (all with -o wide)\n", ManyClusters+1))
	b.Reset()
	require.NoError(t, view.write(&b, true, now))
	require.Regexp(t, `(?m)^ap-2 .* cluster.karmada.io/unschedulable:NoSchedule cluster.karmada.io/not-ready:NoExecute +timeout$`, b.String())
	require.Regexp(t, `(?m)^eu-1 +Ready .* -$`, b.String())
}

func TestHeadlineWord(t *testing.T) {
	for _, c := range []struct {
		state string
		sight progress.Snapshot
		want  string
	}{
		{"no commit yet", progress.Snapshot{}, verdictUnknown},
		{"no commit yet, suspended", progress.Snapshot{Suspended: true}, verdictSuspended},
		{"all healthy", ofThree(progress.Snapshot{Ready: true}, 3, 3, 0, 0), verdictReady},
		{"all healthy, suspended", ofThree(progress.Snapshot{Ready: true, Suspended: true}, 3, 3, 0, 0), verdictSuspended},
		{"on its way", ofThree(progress.Snapshot{}, 2, 1, 0, 0), verdictRolling},
		{"the rest is held", ofThree(progress.Snapshot{RestHealthy: true}, 2, 2, 1, 0), verdictHeld},
		{"the rest was lost a moment ago", ofThree(progress.Snapshot{RestHealthy: true, UnreachableSince: time.Now()}, 2, 2, 0, 1), verdictUnreachable},
		{"a mistake in the commit", ofThree(progress.Snapshot{Stalled: "no"}, 0, 0, 0, 0), VerdictFailed},
		{"a mistake in the commit, suspended", ofThree(progress.Snapshot{Stalled: "no", Suspended: true}, 0, 0, 0, 0), VerdictFailed},
	} {
		t.Run(c.state, func(t *testing.T) { require.Equal(t, c.want, verdictOf(c.sight)) })
	}
	failing := ofThree(progress.Snapshot{}, 2, 2, 0, 0)
	failing.Summary.Progressing, failing.Summary.Failed = 0, 1
	require.Equal(t, verdictFailing, verdictOf(failing))
}

// ofThree returns a current snapshot of three clusters.
func ofThree(s progress.Snapshot, applied, healthy, held, unreachable int32) progress.Snapshot {
	s.Release, s.Evaluated = "prod-1", true
	s.Summary = v1alpha1.Summary{
		Total: 3, Applied: applied, Healthy: healthy, Held: held, Unreachable: unreachable,
		Progressing: 3 - healthy - held - unreachable,
	}
	return s
}

// TestDefectF20HeadlineAndRowsAgree: the Release is newer than the Delivery of the second cluster (defects F20 and R3).
func TestDefectF20HeadlineAndRowsAgree(t *testing.T) {
	release := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: "shop-1", Generation: 1}, Spec: v1alpha1.ReleaseSpec{Revision: "main@sha1:1"}}
	release.Status = v1alpha1.ReleaseStatus{
		ObservedGeneration: 1, Summary: v1alpha1.Summary{Total: 2, Healthy: 1, Unreachable: 1, Display: "1/2"},
		NotReadyClusters: []v1alpha1.NotReadyCluster{{Cluster: "m2", State: v1alpha1.Unreachable, Message: "no answer"}},
	}
	row := func(cluster, revision string) v1alpha1.Delivery {
		return v1alpha1.Delivery{
			ObjectMeta: metav1.ObjectMeta{Generation: 2}, Spec: v1alpha1.DeliverySpec{Cluster: cluster, Revision: revision},
			Status: v1alpha1.DeliveryStatus{ObservedGeneration: 1, Summary: v1alpha1.Summary{Total: 3}},
		}
	}
	s := NewStatus(&v1alpha1.Federation{}, release, []v1alpha1.Delivery{row("m1", "main@sha1:1"), row("m2", "main@sha1:1")})
	require.Equal(t, v1alpha1.Healthy, s.Clusters[0].State)
	require.EqualValues(t, 3, s.Clusters[0].Objects.Healthy)
	require.Equal(t, v1alpha1.Unreachable, s.Clusters[1].State)
	require.Equal(t, "no answer", s.Clusters[1].Note)

	s = NewStatus(&v1alpha1.Federation{}, release, []v1alpha1.Delivery{row("m1", "main@sha1:0"), row("m2", "main@sha1:0")})
	require.Equal(t, v1alpha1.Progressing, s.Clusters[1].State, "a row about another revision stays as it is")
	require.Equal(t, v1alpha1.Progressing, s.Clusters[0].State)
}

func TestDefectF24HeldClusterIsShown(t *testing.T) {
	c := v1alpha1.Cluster{}
	c.Name, c.Spec.Hold = "eu-1", &v1alpha1.ClusterHold{Reason: "load test", Owner: "j.doe"}
	c.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue}}
	view := newFleetView([]v1alpha1.Cluster{c}, nil)
	require.Equal(t, "Held", view[0].state)
	require.Equal(t, "held by j.doe: load test", view[0].note)
	require.Contains(t, view.headline(time.Now()), "1 of 1 reachable.")
}
