package member

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

// presence remembers of every declared Cluster whether it answered its last probe, or whether its agent reports. The zero presence is empty.
type presence struct {
	mu        sync.Mutex
	reachable map[string]bool
	lost      map[string]time.Time // when a cluster that does not answer was lost; without an entry its condition Ready has the time
	// silent has, for each cluster in pull mode, the reason why it is unreachable; empty: it is reachable.
	silent map[string]string
}

// record records the result of a probe, and reports whether it is news. Before the first probe the status decides: a
// cluster that was never probed counts as reachable, so that one that never answers is an event.
func (p *presence) record(member *v1alpha1.Cluster, reachable bool) (news bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was, known := p.reachable[member.Name]
	if !known {
		was = !meta.IsStatusConditionFalse(member.Status.Conditions, fluxmeta.ReadyCondition)
	}
	if p.reachable == nil {
		p.reachable, p.lost = map[string]bool{}, map[string]time.Time{}
	}
	p.reachable[member.Name] = reachable
	delete(p.silent, member.Name)
	if was && !reachable {
		p.lost[member.Name] = time.Now()
	}
	return was != reachable
}

// hear records why a cluster in pull mode is unreachable, or with an empty reason that it is not, and reports whether it is news.
func (p *presence) hear(cluster, unreachable string) (news bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, known := p.silent[cluster]
	if p.silent == nil {
		p.silent = map[string]string{}
	}
	p.silent[cluster] = unreachable
	delete(p.reachable, cluster)
	delete(p.lost, cluster)
	return !known || before != unreachable
}

// found returns the time at which a cluster was lost that answers again; zero if it is not known.
func (p *presence) found(member *v1alpha1.Cluster) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.lost[member.Name]
	delete(p.lost, member.Name)
	if ready := meta.FindStatusCondition(member.Status.Conditions, fluxmeta.ReadyCondition); at.IsZero() && ready != nil && ready.Status == metav1.ConditionFalse {
		at = ready.LastTransitionTime.Time
	}
	return at
}

// forget drops a cluster that is not declared any more.
func (p *presence) forget(cluster string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.reachable, cluster)
	delete(p.lost, cluster)
	delete(p.silent, cluster)
}

// Declared returns the Clusters that were probed, and those in pull mode, in no order.
func (c *Controller) Declared() []string {
	c.presence.mu.Lock()
	defer c.presence.mu.Unlock()
	return slices.AppendSeq(slices.Collect(maps.Keys(c.presence.reachable)), maps.Keys(c.presence.silent))
}

// emitReachability emits an event when a cluster becomes unreachable, and when it is reachable again. err is why it did
// not answer; member is as it was before.
func (c *Controller) emitReachability(member *v1alpha1.Cluster, err error) {
	if !c.presence.record(member, err == nil) {
		return
	}
	if reason := clusters.Reason(err); slices.Contains(refusals, reason) {
		c.Emit(changes.Event{About: member, Type: changes.Warning, Reason: reason, Message: fmt.Sprintf(
			"accord delivers nothing to the cluster: %v", err)})
		return
	}
	if err != nil {
		c.Emit(changes.Event{About: member, Type: changes.Warning, Reason: clusters.Reason(err), Message: fmt.Sprintf(
			"the cluster does not answer; its objects stay, and count as unknown: %v", err)})
		return
	}
	text := "the cluster answers again"
	if lost := c.presence.found(member); !lost.IsZero() {
		text += ", after " + duration.HumanDuration(time.Since(lost))
	}
	c.Emit(changes.Event{About: member, Type: changes.Normal, Reason: clusters.Connected, Message: text})
}

// refusals are the reasons for which accord refuses a cluster, which may answer.
var refusals = []string{clusters.AnotherCluster, clusters.DuplicateCluster, clusters.CredentialsRefused}
