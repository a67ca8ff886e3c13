package propagate

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/policy"
)

// held says why a policy holds its objects back on a cluster; empty when it does not. Held is hands off: nothing is
// created, updated, repaired or deleted there (DESIGN section 8, B13).
func held(p *policy.Policy, cluster string) string {
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
