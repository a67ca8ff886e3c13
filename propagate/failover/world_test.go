package failover_test

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/propagate/previous"
)

// begin is the time at which the cases begin.
var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var web = manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}

// after returns a time of the cases.
func after(d time.Duration) time.Time { return begin.Add(d) }

// noExecute returns a taint that was added at begin.
func noExecute(key string) corev1.Taint {
	return corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: begin}}
}

// fleet returns clusters that answer.
func fleet(names ...string) []failover.Cluster {
	var all []failover.Cluster
	for _, name := range names {
		all = append(all, failover.Cluster{Name: name, Answers: true})
	}
	return all
}

// failing returns a policy with both kinds of failover.
func failing() *policy.Policy {
	return &policy.Policy{Spec: policy.PolicySpec{Failover: &policy.Failover{
		Cluster:     &policy.ClusterFailover{PurgeMode: policy.Gracefully},
		Application: &policy.ApplicationFailover{DecisionConditions: policy.DecisionConditions{TolerationSeconds: new(int32(300))}, PurgeMode: policy.Gracefully, GracePeriodSeconds: new(int32(600))},
	}}}
}

// one returns an input with Deployment shop/web, healthy with three replicas on eu-1, at a time after begin.
func one(at time.Duration) failover.Input {
	settings := failover.Defaults()
	settings.Enabled = true
	return failover.Input{
		Now: after(at), Settings: settings, Clusters: fleet("eu-1", "eu-2", "eu-3", "us-1"),
		Objects: []failover.Object{{
			ID: web, Policy: failing(), Choice: []previous.Cluster{{Name: "eu-1", Replicas: new(int32(3))}},
			Copies: []failover.Copy{{Cluster: "eu-1", Health: failover.Healthy, Current: true}},
		}},
	}
}

// down makes clusters fail at begin: they do not answer, and have the automatic taints.
func down(in *failover.Input, names ...string) {
	for i := range in.Clusters {
		for _, name := range names {
			if c := &in.Clusters[i]; c.Name == name {
				c.Unreachable, c.Answers, c.Taints = true, false, []corev1.Taint{noExecute(v1alpha1.TaintNotReady)}
			}
		}
	}
}

// moving returns an input with an open task for eu-1 from begin, and a replacement on eu-2 that is not healthy yet.
func moving(at time.Duration, mode v1alpha1.PurgeMode) failover.Input {
	in := one(at)
	in.Clusters[0].Taints = []corev1.Taint{noExecute("maintenance")}
	o := &in.Objects[0]
	o.Choice[0].Name = "eu-2"
	o.Copies = append(o.Copies, failover.Copy{Cluster: "eu-2", Health: failover.Unhealthy, Current: true})
	o.Tasks = []v1alpha1.GracefulEvictionTask{{
		FromCluster: "eu-1", PurgeMode: mode, Replicas: new(int32(3)), Reason: failover.TaintUntolerated, Producer: failover.TaintManager,
		CreationTimestamp: metav1.NewTime(begin), ClustersBeforeFailover: []string{"eu-1"},
	}}
	if mode == v1alpha1.PurgeNever {
		o.Tasks[0].SuppressDeletion = new(true)
	}
	return in
}
