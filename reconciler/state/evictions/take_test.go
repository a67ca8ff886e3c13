package evictions

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/hubobjects"
)

// TestEvictionsAreCounted: an eviction counts by its cause when it begins, and its duration counts once, from the failure until every
// replacement is healthy.
func TestEvictionsAreCounted(t *testing.T) {
	id := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	failed := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return failed.Add(time.Duration(seconds) * time.Second) }
	tainted := failover.Cluster{Name: "eu-1", Unreachable: true, Taints: []corev1.Taint{
		{Key: v1alpha1.TaintNotReady, Effect: corev1.TaintEffectNoSchedule, TimeAdded: new(metav1.NewTime(failed))},
		{Key: v1alpha1.TaintNotReady, Effect: corev1.TaintEffectNoExecute, TimeAdded: new(metav1.NewTime(at(300)))},
	}}
	healthy := failover.Cluster{Name: "eu-1", Answers: true}
	removed := failover.Cluster{Name: "eu-1", Answers: true, Removing: true}
	for _, c := range []struct {
		reason   string
		cluster  failover.Cluster
		copyOn   failover.Copy
		now      time.Time
		duration float64
	}{
		{"TaintUntolerated", tainted, failover.Copy{Cluster: "eu-1", Health: failover.Unknown}, at(310), 400},
		{"ApplicationFailure", healthy, failover.Copy{Cluster: "eu-1", Health: failover.Unhealthy, Current: true}, at(310), 400},
		{"ClusterRemoved", removed, failover.Copy{Cluster: "eu-1", Health: failover.Healthy, Current: true}, at(310), 90},
	} {
		t.Run(c.reason, func(t *testing.T) {
			p := &policy.Policy{}
			p.Spec.Failover = &policy.Failover{
				Cluster: &policy.ClusterFailover{PurgeMode: policy.Gracefully},
				Application: &policy.ApplicationFailover{
					PurgeMode: policy.Gracefully, DecisionConditions: policy.DecisionConditions{TolerationSeconds: new(int32(60))},
				},
			}
			o := failover.Object{ID: id, Policy: p, Choice: []previous.Cluster{{Name: "eu-1"}}, Copies: []failover.Copy{c.copyOn}}
			if c.reason == "ApplicationFailure" {
				o.UnhealthySince = map[string]time.Time{"eu-1": failed}
			}
			settings := failover.Defaults()
			settings.Enabled = true
			in := failover.Input{Now: c.now, Settings: settings, Clusters: []failover.Cluster{c.cluster, {Name: "eu-2", Answers: true}}, Objects: []failover.Object{o}}
			out := failover.Decide(in)
			require.Len(t, out.Tasks[id], 1, "%+v", out.Blocked)

			var s State
			objects := hubobjects.New()
			s.Written(&changes.Changes{}, &objects, in, out)
			require.Equal(t, map[string]uint64{c.reason: 1}, s.Figures(&objects).Begun)

			o.Tasks, o.Choice = out.Tasks[id], []previous.Cluster{{Name: "eu-2"}, {Name: "eu-3"}}
			o.Copies = []failover.Copy{{Cluster: "eu-2", Health: failover.Healthy, Current: true}, {Cluster: "eu-3", Health: failover.Healthy}}
			s.recover(o, at(350))
			require.Zero(t, s.Counts.Recovery.Count, "a replacement on an earlier version is not healthy")
			o.Copies[1].Current = true
			s.recover(o, at(400))
			s.recover(o, at(500))
			require.Equal(t, uint64(1), s.Figures(&objects).Recovery.Count, "an eviction counts once")
			require.InDelta(t, c.duration, s.Counts.Recovery.Sum, 0.001)
		})
	}
}
