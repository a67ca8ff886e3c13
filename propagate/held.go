package propagate

import (
	"fmt"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/policy"
)

// suspension says why a policy holds its objects back on a cluster; empty when it does not. Held is hands off: nothing is
// created, updated, repaired or deleted there (DESIGN section 8, B13).
func suspension(p *policy.Policy, cluster string) string {
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

// Hold is why people hold a cluster at the time of the plan: hands off everything of the federation there. Empty when
// they do not.
func (p *Plan) Hold(cluster string) string { return p.holds[cluster] }

// Held is why an object is held where it was chosen to go: a suspension holds the object, people the cluster, or both. Empty
// when nobody does; stages hold beside that (Stage).
func (p *Plan) Held(c Choice) string { return joinReasons(c.Held, p.Hold(c.Cluster)) }

// holdsAt are the clusters that people hold at a time, nil when there is none.
func (p *Plan) holdsAt(now time.Time) map[string]string {
	var holds map[string]string
	for _, c := range p.clusters {
		if !c.Hold.In(now) {
			continue
		}
		if holds == nil {
			holds = map[string]string{}
		}
		holds[c.Name] = c.Hold.String()
		if at := c.Origin.String(); at != "" {
			holds[c.Name] = fmt.Sprintf("%s (%s)", c.Hold, at)
		}
	}
	return holds
}

// joinReasons joins two reasons to hold something. What is held for one of them stays held when the other ends.
func joinReasons(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || a == b:
		return a
	}
	return a + "; " + b
}
