package reconciler

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

// roll says of every Cluster on the hub whether it answered the last time. The zero roll is empty.
type roll struct {
	mu        sync.Mutex
	reachable map[string]bool
}

// call notes whether a cluster answered; it says whether that is news. Before the first time it is what the status
// says: a cluster that was never asked counts as there, so that one that was never there is told of.
func (r *roll) call(c *v1alpha1.Cluster, answers bool) (news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	did, known := r.reachable[c.Name]
	if !known {
		did = !meta.IsStatusConditionFalse(c.Status.Conditions, fluxmeta.ReadyCondition)
	}
	if r.reachable == nil {
		r.reachable = map[string]bool{}
	}
	r.reachable[c.Name] = answers
	return did != answers
}

// strike a cluster that is not declared any more.
func (r *roll) strike(cluster string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.reachable, cluster)
}

func (r *roll) names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.reachable))
}

// answered tells people when a cluster is lost, and when it is found again. err says why it did not answer, and c is as
// it was before.
func (e *engine) answered(c *v1alpha1.Cluster, err error) {
	if !e.roll.call(c, err == nil) {
		return
	}
	if err != nil {
		e.event(c, warning, clusters.Reason(err), fmt.Sprintf("the cluster does not answer; what runs there stays, and counts as unknown: %v", err))
		return
	}
	text := "the cluster answers again"
	if lost := meta.FindStatusCondition(c.Status.Conditions, fluxmeta.ReadyCondition); lost != nil && lost.Status == "False" {
		text += ", after " + duration.HumanDuration(time.Since(lost.LastTransitionTime.Time))
	}
	e.event(c, normal, clusters.Connected, text)
}
