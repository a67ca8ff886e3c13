// Package drain waits until the objects have left a cluster that is drained.
package drain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/failover"
)

// Progress is the state of a drain: the objects that are still on the cluster.
type Progress struct {
	Cluster string `json:"cluster"`
	// Leaving are the objects with an eviction under way, Waiting those without one so far, and Blocked those that cannot leave, because
	// no other cluster fits, a rule forbids the eviction, or the cluster does not answer and they are healthy elsewhere.
	Leaving []Object `json:"leaving"`
	Waiting []Object `json:"waiting"`
	Blocked []Object `json:"blocked"`
	// Remaining counts the objects that accord still has to delete on the cluster, with those above.
	Remaining int `json:"remaining"`
}

// DocumentKind implements text.Document.
func (Progress) DocumentKind() string { return "DrainProgress" }

// Object is one object on the cluster.
type Object struct {
	// Federation is "<namespace>/<name>".
	Federation string `json:"federation"`
	// Object is "apps/Deployment shop/web".
	Object string `json:"object"`
	// Message names the event that the object waits for, or the reason why it cannot leave.
	Message string `json:"message,omitempty"`
}

// Of returns the progress of a drain. An object that is on the cluster only because another one needs it leaves with that one.
func Of(cluster string, objects []v1alpha1.FederatedObject, deliveries []v1alpha1.Delivery) Progress {
	p := Progress{Cluster: cluster, Leaving: []Object{}, Waiting: []Object{}, Blocked: []Object{}}
	for i := range objects {
		o := &objects[i]
		s := state(o, cluster)
		shown := Object{Federation: o.Namespace + "/" + o.Spec.Federation, Object: o.Spec.Template.ID().String(), Message: s.Message}
		switch {
		case leaves(o, cluster) && (strings.HasPrefix(s.Message, failover.WaitsForPlace) || strings.HasSuffix(s.Message, failover.SourceIsSilent)):
			p.Blocked = append(p.Blocked, shown)
		case leaves(o, cluster):
			p.Leaving = append(p.Leaving, shown)
		case !placed(o, cluster):
		case s.Phase == v1alpha1.EvictionBlocked && !strings.Contains(s.Message, "; "+failover.WaitsForTurn):
			p.Blocked = append(p.Blocked, shown)
		default:
			p.Waiting = append(p.Waiting, shown)
		}
	}
	for _, all := range [][]Object{p.Leaving, p.Waiting, p.Blocked} {
		slices.SortFunc(all, func(a, b Object) int {
			return strings.Compare(a.Federation+" "+a.Object, b.Federation+" "+b.Object)
		})
	}
	for i := range deliveries {
		if d := &deliveries[i]; d.Spec.Cluster == cluster {
			p.Remaining += int(d.Status.InventoryCount)
		}
	}
	return p
}

// leaves reports whether an eviction from the cluster is under way.
func leaves(o *v1alpha1.FederatedObject, cluster string) bool {
	return slices.ContainsFunc(o.Spec.GracefulEvictionTasks, func(t v1alpha1.GracefulEvictionTask) bool { return t.FromCluster == cluster && t.Open() })
}

// placed reports whether the policy of the object chooses the cluster.
func placed(o *v1alpha1.FederatedObject, cluster string) bool {
	return slices.ContainsFunc(o.Spec.Results, func(r v1alpha1.Result) bool { return slices.Contains(r.Clusters, cluster) }) &&
		!slices.ContainsFunc(o.Spec.RequiredBy, func(r v1alpha1.Requirement) bool { return slices.Contains(r.Clusters, cluster) })
}

func state(o *v1alpha1.FederatedObject, cluster string) v1alpha1.EvictionState {
	for _, e := range o.Status.Evictions {
		if e.Cluster == cluster {
			return e
		}
	}
	return v1alpha1.EvictionState{}
}

// Done reports whether every object that can leave has left.
func (p Progress) Done() bool {
	return len(p.Leaving)+len(p.Waiting) == 0 && (len(p.Blocked) > 0 || p.Remaining == 0)
}

// String returns "eu-7: 9 leaving, 2 waiting for an eviction, 1 blocked (14 objects there)".
func (p Progress) String() string {
	var parts []string
	for _, part := range []struct {
		n    int
		text string
	}{{len(p.Leaving), "leaving"}, {len(p.Waiting), "waiting for an eviction"}, {len(p.Blocked), "blocked"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	switch {
	case len(parts) > 0:
		return fmt.Sprintf("%s: %s (%s there)", p.Cluster, strings.Join(parts, ", "), phrase.Count(p.Remaining, "object"))
	case p.Remaining > 0:
		return fmt.Sprintf("%s: accord deletes %s there", p.Cluster, phrase.Count(p.Remaining, "object"))
	}
	return p.Cluster + ": no object is left"
}
