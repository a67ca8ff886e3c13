package policy

import (
	"fmt"
	"slices"
)

// SuspensionOn returns the reason why the policy suspends its objects on a cluster; empty when it does not. p may be nil. accord neither
// creates, updates, repairs nor deletes a held object (DESIGN section 8, B13).
func (p *Policy) SuspensionOn(cluster string) string {
	if p == nil || p.Spec.Suspension == nil {
		return ""
	}
	s := p.Spec.Suspension
	if s.Dispatching != nil && *s.Dispatching {
		return fmt.Sprintf("%s suspends dispatching on every cluster (%s)", p.Title(), p.At("spec.suspension.dispatching"))
	}
	if s.DispatchingOnClusters == nil {
		return ""
	}
	i := slices.Index(s.DispatchingOnClusters.ClusterNames, cluster)
	if i < 0 {
		return ""
	}
	at := p.At(fmt.Sprintf("spec.suspension.dispatchingOnClusters.clusterNames[%d]", i))
	return fmt.Sprintf("%s suspends dispatching on %s (%s)", p.Title(), cluster, at)
}
