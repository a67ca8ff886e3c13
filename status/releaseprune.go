package status

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// PruneBlock is a plan that the prune limits stop: it would delete too much, so none of it is delivered.
type PruneBlock struct {
	// Clusters are those that would lose too much, sorted; at least one.
	Clusters []string
	// Message has the numbers, some objects and the way out, for the first cluster.
	Message string
}

// NewPruneBlock returns the PruneBlock of a plan from the reasons of the clusters that would lose too much; nil without any.
func NewPruneBlock(reasons map[string]string) *PruneBlock {
	if len(reasons) == 0 {
		return nil
	}
	clusters := slices.Sorted(maps.Keys(reasons))
	return &PruneBlock{Clusters: clusters, Message: reasons[clusters[0]]}
}

// waits reports whether the plan is not delivered because of the prune limits.
func (p *PruneBlock) waits() bool { return p != nil }

// Stops reports whether a cluster would lose too much. Nil stops nothing.
func (p *PruneBlock) Stops(cluster string) bool {
	return p != nil && slices.Contains(p.Clusters, cluster)
}

// message names the first cluster and the number of the others.
func (p *PruneBlock) message() string {
	text := p.Clusters[0]
	if more := len(p.Clusters) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return "the plan " + p.Message + "; on " + text + "; nothing is written to any cluster, and they keep their objects"
}

// conditions sets Applied and Healthy to values that are not about the running objects: these are of another plan.
func (p *PruneBlock) conditions(c *conditions) {
	c.set(v1alpha1.PruneAllowed, metav1.ConditionFalse, PruneBlocked, p.message())
	c.set(v1alpha1.Applied, metav1.ConditionFalse, PruneBlocked, "none of the plan is delivered")
	c.set(v1alpha1.HealthyType, metav1.ConditionUnknown, PruneBlocked, "none of the plan is delivered")
}

// DeliveryState returns the state of a cluster while the plan is not delivered.
func (p *PruneBlock) DeliveryState(cluster string) DeliveryState {
	if p.Stops(cluster) {
		return DeliveryState{Cluster: cluster, State: v1alpha1.Failed, Reason: PruneBlocked, Message: "the plan " + p.Message, Stalled: true}
	}
	return DeliveryState{Cluster: cluster, State: v1alpha1.Held, Reason: Held, Message: "nothing is written as long as the prune limits stop the plan on " + p.Clusters[0]}
}
