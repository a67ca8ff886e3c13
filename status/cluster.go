package status

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/readiness"
)

// Probe is one attempt to talk to a cluster.
type Probe struct {
	// Version of the API server, "v1.34.1".
	Version string
	// NodesTotal and NodesReady count nodes.
	NodesTotal, NodesReady int32
	// Err is the reason why it did not answer; nil if it did.
	Err error
	// Reason is Err in one word of the form of a condition's reason; empty is ClusterNotReachable.
	Reason string
	// Readiness is the state after the probe, Thresholds are those by which it was decided.
	Readiness  readiness.State
	Thresholds readiness.Thresholds
}

// Cluster returns the status of a Cluster after a probe. If it does not answer, version and nodes keep their last
// values, and lastProbeTime is their age.
func Cluster(prev v1alpha1.ClusterStatus, generation int64, p Probe, now time.Time) v1alpha1.ClusterStatus {
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	next := *prev.DeepCopy()
	next.ObservedGeneration = generation
	if p.Err == nil {
		next.KubernetesVersion = p.Version
		next.NodeSummary = v1alpha1.NodeSummary{
			TotalNum: p.NodesTotal, ReadyNum: p.NodesReady, Display: fmt.Sprintf("%d/%d", p.NodesReady, p.NodesTotal),
		}
		next.LastProbeTime = since(now)
	}
	next.Conditions = c.summarize(p.verdict(meta.FindStatusCondition(prev.Conditions, ready)))
	next.Message = headline(next.Conditions)
	return next
}

// ClusterUnknown returns the status of a Cluster whose reporter ("replica" or "agent") has not reported a probe for a long time.
func ClusterUnknown(prev v1alpha1.ClusterStatus, generation int64, reporter string, now time.Time) v1alpha1.ClusterStatus {
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	for _, x := range prev.Conditions {
		if x.Type != ready && x.Type != reconciling && x.Type != stalled {
			c.keep(x.Type)
		}
	}
	next := *prev.DeepCopy()
	message := "its " + reporter + " has reported no probe"
	if prev.LastProbeTime != nil {
		message += " since " + prev.LastProbeTime.UTC().Format(time.RFC3339)
	}
	next.Conditions = c.summarize(verdict{ready: metav1.ConditionUnknown, reason: v1alpha1.ClusterStatusUnknown, message: message, reconciling: ProgressingWithRetry})
	next.Message = headline(next.Conditions)
	return next
}

// ClusterWithoutAgent returns the status of a Cluster in pull mode whose agent has never reported.
func ClusterWithoutAgent(prev v1alpha1.ClusterStatus, generation int64, now time.Time) v1alpha1.ClusterStatus {
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	next := *prev.DeepCopy()
	next.ObservedGeneration = generation
	next.Conditions = c.summarize(verdict{
		ready: metav1.ConditionUnknown, reason: v1alpha1.AgentNotConnected, reconciling: ProgressingWithRetry,
		message: "no agent has reported yet; run \"accord register\" on the cluster",
	})
	next.Message = headline(next.Conditions)
	return next
}

// verdict returns the verdict on a cluster. Probes that contradict the condition for less than the threshold change only its message.
func (p Probe) verdict(before *metav1.Condition) verdict {
	switch {
	case p.Readiness.Ready:
		v := succeeded(ClusterAnswers)
		v.reason = v1alpha1.ClusterReady
		if p.Err != nil {
			v.message = fmt.Sprintf("no answer since %s; Ready becomes False after %s: %v", p.contradicted(), p.Thresholds.Failure, p.Err)
		}
		return v
	case p.Err != nil:
		return retrying(cmp.Or(p.Reason, v1alpha1.ClusterNotReachable), p.Err.Error())
	}
	v := retrying(v1alpha1.ClusterNotReachable, fmt.Sprintf("the cluster answers since %s; Ready becomes True after %s", p.contradicted(), p.Thresholds.Success))
	if before != nil && before.Status != metav1.ConditionTrue {
		v.ready, v.reason = before.Status, before.Reason
	}
	return v
}

// ClusterAnswers is the message of Ready of a Cluster whose last probe succeeded.
const ClusterAnswers = "the cluster answers"

// contradicted returns the time since which the probes contradict the condition.
func (p Probe) contradicted() string { return p.Readiness.Contradicted.UTC().Format(time.RFC3339) }
