package propagate

import (
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// suspension returns the reason why a policy suspends its objects on a cluster; empty when it does not. accord neither
// creates, updates, repairs nor deletes a held object (DESIGN section 8, B13).
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

// Hold returns the reason why people hold a cluster at the time of the plan, with everything of the federation there;
// empty when they do not.
func (p *Plan) Hold(cluster string) string { return p.members.holds[cluster] }

// Holds reports whether people hold a cluster, or a policy suspends objects.
func (p *Plan) Holds() bool { return len(p.members.holds) > 0 || p.rules.claims.Suspends() }

// Held returns the reason why a chosen object is held: a policy suspends the object, people hold the cluster, or both;
// empty otherwise. Stages hold objects in addition (package staged).
func (p *Plan) Held(c Choice) string { return JoinReasons(c.Held, p.Hold(c.Cluster)) }

// HeldOn returns the reason why a policy suspends an object on a cluster, or people hold the cluster, whether or not
// the plan places the object there; empty when neither is so.
func (p *Plan) HeldOn(cluster string, id manifest.ID) string {
	why := p.Hold(cluster)
	if it, known := p.items.get(id); known {
		why = JoinReasons(suspension(it.decision.Policy, cluster), why)
	}
	return why
}

// JoinReasons joins two reasons for a hold. An object held for both stays held when one of them ends.
func JoinReasons(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || a == b:
		return a
	}
	return a + "; " + b
}
