package status

import (
	"cmp"
	"fmt"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// Probe is one attempt to talk to a cluster.
type Probe struct {
	// Version of the API server, "v1.34.1".
	Version string
	// NodesTotal and NodesReady count nodes.
	NodesTotal, NodesReady int32
	// Err is the reason why it did not answer; nil if it did.
	Err error
	// Reason is Err in one word of the form of a condition's reason; empty is Unreachable.
	Reason string
}

// Cluster returns the status of a Cluster after a probe. If it does not answer, version and nodes keep their last
// values, and lastProbeTime is their age.
func Cluster(prev v1alpha1.ClusterStatus, generation int64, p Probe, now time.Time) v1alpha1.ClusterStatus {
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	next := *prev.DeepCopy()
	next.ObservedGeneration = generation
	if p.Err != nil {
		next.Conditions = c.summarize(retrying(cmp.Or(p.Reason, Unreachable), p.Err.Error()))
		next.Message = headline(next.Conditions)
		return next
	}
	next.KubernetesVersion = p.Version
	next.NodeSummary = v1alpha1.NodeSummary{
		TotalNum: p.NodesTotal, ReadyNum: p.NodesReady, Display: fmt.Sprintf("%d/%d", p.NodesReady, p.NodesTotal),
	}
	next.LastProbeTime = since(now)
	v := succeeded("the cluster answers")
	v.reason = Connected
	next.Conditions = c.summarize(v)
	next.Message = headline(next.Conditions)
	return next
}
