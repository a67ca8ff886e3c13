package failover_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
)

const page = "../../docs/failover.md"

// row is one line of a truth table.
type row struct {
	situation string
	in        func() failover.Input
}

// with returns a changed input of one or moving.
func with(in failover.Input, change func(*failover.Input, *failover.Object)) func() failover.Input {
	return func() failover.Input { change(&in, &in.Objects[0]); return in }
}

// outcome returns the decision about Deployment shop/web in two words and its reason.
func outcome(out failover.Outcome) (decision, reason string) {
	switch {
	case len(out.Events) > 0:
		e := out.Events[0]
		return map[failover.EventKind]string{failover.ClusterEvicting: "begins", failover.ClusterEvicted: "completes", failover.EvictionCancelled: "is cancelled"}[e.Kind], e.Message
	case len(out.Blocked) > 0:
		return "is blocked", out.Blocked[0].Reason
	case len(out.Waiting) > 0:
		if d := out.Waiting[0].Deadline; !d.IsZero() {
			return "waits", fmt.Sprintf("%s, until %s", out.Waiting[0].Message, d.Format(time.TimeOnly))
		}
		return "waits", out.Waiting[0].Message
	case !out.Again.IsZero():
		return "not yet", "until " + out.Again.Format(time.TimeOnly)
	}
	return "does not begin", ""
}

// table returns a table of the page.
func table(rows []row) string {
	var b strings.Builder
	for _, r := range rows {
		in := r.in()
		decision, reason := outcome(failover.Decide(in))
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.situation, decision, reason)
	}
	return b.String()
}

// TestPageHasTheTables keeps the truth tables of docs/failover.md the decisions of Decide.
func TestPageHasTheTables(t *testing.T) {
	maintenance := []corev1.Taint{noExecute("maintenance")}
	tolerates := func(seconds *int64) []corev1.Toleration {
		return []corev1.Toleration{{Key: "maintenance", Operator: corev1.TolerationOpExists, TolerationSeconds: seconds}}
	}
	unhealthy := func(in *failover.Input, o *failover.Object) {
		o.Copies[0].Health, o.UnhealthySince = failover.Unhealthy, map[string]time.Time{"eu-1": begin}
	}
	const s, m = time.Second, time.Minute
	ended := v1alpha1.GracefulEvictionTask{
		FromCluster: "eu-1", PurgeMode: v1alpha1.PurgeGracefully, CreationTimestamp: metav1.NewTime(after(-30 * m)), CompletionTimestamp: new(metav1.NewTime(after(-20 * m))),
	}
	begins := []row{
		{"no taint, and the copy is healthy", with(one(0), func(*failover.Input, *failover.Object) {})},
		{"a taint NoExecute that no clusterToleration tolerates", with(one(0), func(in *failover.Input, _ *failover.Object) { in.Clusters[0].Taints = maintenance })},
		{"the same, and the Federation does not enable failover", with(one(0), func(in *failover.Input, _ *failover.Object) {
			in.Clusters[0].Taints, in.Settings.Enabled = maintenance, false
		})},
		{"the same, and the policy has no `spec.failover.cluster`", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Policy.Spec.Failover.Cluster = maintenance, nil
		})},
		{"the same, tolerated for ever", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Policy.Spec.Placement.ClusterTolerations = maintenance, tolerates(nil)
		})},
		{"the same, tolerated for 300 s, 200 s after timeAdded", with(one(200*s), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Policy.Spec.Placement.ClusterTolerations = maintenance, tolerates(new(int64(300)))
		})},
		{"the same, 300 s after timeAdded", with(one(300*s), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Policy.Spec.Placement.ClusterTolerations = maintenance, tolerates(new(int64(300)))
		})},
		{"eu-1 does not answer and has the automatic taint NoExecute", with(one(0), func(in *failover.Input, _ *failover.Object) { down(in, "eu-1") })},
		{"the same, and eu-1 answers again", with(one(0), func(in *failover.Input, _ *failover.Object) { down(in, "eu-1"); in.Clusters[0].Answers = true })},
		{"the same, default-not-ready-toleration-seconds is 600", with(one(0), func(in *failover.Input, _ *failover.Object) {
			down(in, "eu-1")
			in.Settings.NotReadyToleration = new(600 * s)
		})},
		{"purgeMode Directly, and eu-1 does not answer", with(one(0), func(in *failover.Input, o *failover.Object) {
			down(in, "eu-1")
			o.Policy.Spec.Failover.Cluster.PurgeMode = policy.Directly
		})},
		{"two of four clusters are unreachable", with(one(0), func(in *failover.Input, _ *failover.Object) { down(in, "eu-1", "eu-2") })},
		{"accord does not reach its witness", with(one(0), func(in *failover.Input, _ *failover.Object) { down(in, "eu-1"); in.Witness = "cluster hub-2" })},
		{"the object is held on eu-1", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Copies[0].Held = maintenance, "policy shop/web suspends it"
		})},
		{"a StatefulSet, or an object with PersistentVolumeClaims", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Stateful = maintenance, true
		})},
		{"the same with `stateful: true`", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Stateful, in.Settings.Stateful = maintenance, true, true
		})},
		{"a Job that runs", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Copies[0].Run, o.Copies[0].Health = maintenance, failover.Running, failover.Unknown
		})},
		{"a Job that has finished", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Copies[0].Run = maintenance, failover.Finished
		})},
		{"a Job on a cluster that does not answer since accord started", with(one(0), func(in *failover.Input, o *failover.Object) {
			down(in, "eu-1")
			o.Copies[0].Run, o.Copies[0].Health = failover.Unseen, failover.Unknown
		})},
		{"a Job that has failed for 300 s, with `spec.failover.application`", with(one(300*s), func(in *failover.Input, o *failover.Object) {
			unhealthy(in, o)
			o.Copies[0].Run = failover.Finished
		})},
		{"an eviction from eu-1 ended 20 minutes ago", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Tasks = maintenance, []v1alpha1.GracefulEvictionTask{ended}
		})},
		{"another eviction began one second ago", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints = maintenance
			another := ended
			another.FromCluster, another.CreationTimestamp = "us-1", metav1.NewTime(after(-s))
			o.Tasks = []v1alpha1.GracefulEvictionTask{another}
		})},
		{"the copy is unhealthy for 299 s", with(one(299*s), unhealthy)},
		{"the copy is unhealthy for 300 s (tolerationSeconds)", with(one(300*s), unhealthy)},
		{"the same, and the policy has no `spec.failover.application`", with(one(300*s), func(in *failover.Input, o *failover.Object) {
			unhealthy(in, o)
			o.Policy.Spec.Failover.Application = nil
		})},
		{"the same, and its health is unknown now", with(one(300*s), func(in *failover.Input, o *failover.Object) {
			unhealthy(in, o)
			o.Copies[0].Health = failover.Unknown
		})},
		{"statePreservation finds no value in the status", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Copies[0].Status = maintenance, []byte(`{"phase": "Running"}`)
			o.Policy.Spec.Failover.Cluster.StatePreservation = &policy.StatePreservation{Rules: []policy.StatePreservationRule{{AliasLabelName: "job-id", JSONPath: "{.jobId}"}}}
		})},
		{"a person removes eu-1 and evicts its objects", with(one(0), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Removing, in.Settings.Enabled, o.Policy.Spec.Failover = true, false, nil
		})},
	}
	onOthers := func(o *failover.Object, health failover.Health) {
		o.Choice = []previous.Cluster{{Name: "eu-2", Replicas: new(int32(3))}, {Name: "eu-3", Replicas: new(int32(3))}}
		o.Copies[1].Health = failover.Healthy
		o.Copies = append(o.Copies, failover.Copy{Cluster: "eu-3", Health: health, Current: true})
	}
	const grace, direct, never = v1alpha1.PurgeGracefully, v1alpha1.PurgeDirectly, v1alpha1.PurgeNever
	healthy := func(in *failover.Input, o *failover.Object) { o.Copies[1].Health = failover.Healthy }
	everywhere := func(in *failover.Input, o *failover.Object) {
		healthy(in, o)
		o.Tasks[0].ClustersBeforeFailover = []string{"eu-1", "eu-2"}
	}
	ends := []row{
		{"the active plan still has the object on eu-1", with(moving(m, grace), func(_ *failover.Input, o *failover.Object) { o.Choice[0].Name = "eu-1" })},
		{"no other cluster fits", with(moving(m, grace), func(_ *failover.Input, o *failover.Object) {
			o.Choice[0].Name, o.NoPlace = "eu-1", "no cluster fits the placement"
		})},
		{"the taint is removed before another plan is active", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			o.Choice[0].Name, in.Clusters[0].Taints = "eu-1", nil
		})},
		{"no other cluster fits after an application failure, and the copy is healthy again", with(moving(m, grace), func(_ *failover.Input, o *failover.Object) {
			o.Choice[0].Name, o.NoPlace = "eu-1", "no cluster fits the placement"
			o.Tasks[0].Producer, o.Tasks[0].Reason = failover.ApplicationFailover, failover.ApplicationFailure
		})},
		{"Gracefully: the replacement is not healthy", with(moving(m, grace), func(*failover.Input, *failover.Object) {})},
		{"Gracefully: the replacement is healthy", with(moving(m, grace), healthy)},
		{"Gracefully: the replacement is healthy on an earlier version", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			healthy(in, o)
			o.Copies[1].Current = false
		})},
		{"Gracefully: the replacement is healthy, and eu-1 does not answer", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			healthy(in, o)
			down(in, "eu-1")
		})},
		{"Gracefully: the replacement is not healthy, and eu-1 does not answer", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			down(in, "eu-1")
		})},
		{"Gracefully: the replacement is healthy, and eu-1 is Ready again", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			healthy(in, o)
			in.Clusters[0].Taints = nil
		})},
		{"Gracefully: eu-1 is Ready again before the replacement is healthy", with(moving(m, grace), func(in *failover.Input, _ *failover.Object) { in.Clusters[0].Taints = nil })},
		{"Gracefully: one of two replacements is healthy", with(moving(m, grace), func(_ *failover.Input, o *failover.Object) { onOthers(o, failover.Unhealthy) })},
		{"the same, and the grace period is over", with(moving(10*m, grace), func(_ *failover.Input, o *failover.Object) { onOthers(o, failover.Unhealthy) })},
		{"Gracefully: the grace period is over, and no replacement is healthy", with(moving(10*m, grace), func(*failover.Input, *failover.Object) {})},
		{"the same after an application failure, and the old copy is healthy again", with(moving(10*m, grace), func(in *failover.Input, o *failover.Object) {
			in.Clusters[0].Taints, o.Tasks[0].Producer, o.Tasks[0].Reason = nil, failover.ApplicationFailover, failover.ApplicationFailure
		})},
		{"Gracefully: the object is on all clusters (Duplicated), and none takes over from eu-1", with(moving(m, grace), everywhere)},
		{"the same, and the taint of eu-1 is automatic", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			everywhere(in, o)
			down(in, "eu-1")
			in.Clusters[0].Answers = true
		})},
		{"the same, and eu-1 does not answer", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			everywhere(in, o)
			down(in, "eu-1")
		})},
		{"the same after an application failure", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			everywhere(in, o)
			in.Clusters[0].Taints, o.Tasks[0].Producer, o.Tasks[0].Reason = nil, failover.ApplicationFailover, failover.ApplicationFailure
		})},
		{"Directly: eu-1 still has the copy", with(moving(m, direct), func(*failover.Input, *failover.Object) {})},
		{"Directly: eu-1 does not answer", with(moving(m, direct), func(in *failover.Input, _ *failover.Object) { down(in, "eu-1") })},
		{"Directly: the copy is gone", with(moving(m, direct), func(_ *failover.Input, o *failover.Object) { o.Copies[0].Gone = true })},
		{"Never: the replacement is healthy", with(moving(m, never), healthy)},
		{"Never: a person set `suppressDeletion: false`", with(moving(m, never), func(in *failover.Input, o *failover.Object) {
			healthy(in, o)
			o.Tasks[0].SuppressDeletion = new(false)
		})},
		{"the same, and eu-1 does not answer", with(moving(m, never), func(in *failover.Input, o *failover.Object) {
			onOthers(o, failover.Unhealthy)
			down(in, "eu-1")
			o.Tasks[0].SuppressDeletion = new(false)
		})},
		{"the same, and no replacement is healthy", with(moving(m, never), func(_ *failover.Input, o *failover.Object) { o.Tasks[0].SuppressDeletion = new(false) })},
		{"every mode: a person deleted the copy", with(moving(m, grace), func(_ *failover.Input, o *failover.Object) { o.Copies[0].Gone = true })},
		{"every mode: the Cluster eu-1 was deleted", with(moving(m, grace), func(in *failover.Input, _ *failover.Object) { in.Clusters = in.Clusters[1:] })},
		{"every mode: eu-1 is held", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			healthy(in, o)
			o.Copies[0].Held = "INC-4411"
		})},
		{"every mode: two of four clusters are unreachable", with(moving(m, grace), func(in *failover.Input, o *failover.Object) {
			healthy(in, o)
			down(in, "eu-3", "us-1")
		})},
	}
	for name, rows := range map[string][]row{"begins": begins, "ends": ends} {
		t.Run(name, func(t *testing.T) { golden.Quote(t, page, table(rows)) })
	}
}
