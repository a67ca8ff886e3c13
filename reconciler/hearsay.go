package reconciler

import (
	"context"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// handoverGrace is how long nothing is said of a cluster after another replica took it, or this one began to lead: the
// one that holds it now has to connect and to look first.
const handoverGrace = lostGrace

// hearsay is what another replica says of whether its cluster answers.
type hearsay struct {
	replica string
	reach   v1alpha1.Connectivity
	at      time.Time // when it was said
}

// hear notes whether a cluster answers the replica that holds it; it says whether that is news.
func (e *engine) hear(r *v1alpha1.DeliveryReport) (turned bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, known := e.hearsay[r.Spec.Cluster]
	e.hearsay[r.Spec.Cluster] = hearsay{r.Status.Replica, r.Status.Connectivity, time.Now()}
	return !known || before.replica != r.Status.Replica || before.reach.Unreachable != r.Status.Connectivity.Unreachable
}

// heardOf is what was said last of a cluster that this replica is not connected to. While it passes from one replica to
// another, that is what the one before said; known is false when nobody has said anything that counts.
func (e *engine) heardOf(cluster string) (said hearsay, known bool) {
	owner, passing := e.share.holders.Owner(cluster), e.share.passing() > 0
	e.mu.Lock()
	defer e.mu.Unlock()
	said, known = e.hearsay[cluster]
	return said, known && (passing || said.replica == owner)
}

// passing is how long clusters may still be on their way from one replica to another.
func (s *share) passing() time.Duration {
	if s.holders == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return handoverGrace - time.Since(s.changed)
}

// expected says that a replica is about to say something of a cluster for the first time; then how long that may take.
func (e *engine) expected(cluster string) time.Duration {
	passing := e.share.passing()
	if passing <= 0 || e.bulkhead(cluster) != nil {
		return 0
	}
	if _, known := e.heardOf(cluster); known {
		return 0
	}
	return passing
}

// reachElsewhere is whether a cluster that this replica is not connected to answers the one that holds it.
func (e *engine) reachElsewhere(cluster string) (unreachable string, last time.Time) {
	if e.share.holders == nil {
		return "not connected", time.Time{}
	}
	said, known := e.heardOf(cluster)
	switch {
	case !known:
		return e.share.asProbed(cluster)
	case said.reach.Unreachable == "":
		return "", said.at
	case said.reach.LastProbeTime == nil:
		return said.reach.Unreachable, time.Time{}
	}
	return said.reach.Unreachable, said.reach.LastProbeTime.Time
}

// asProbed is whether a cluster of which nothing was delivered yet answers, as the replica that holds it says in the status of
// the Cluster.
func (s *share) asProbed(cluster string) (unreachable string, last time.Time) {
	c := &v1alpha1.Cluster{}
	err := s.hub.Get(context.Background(), types.NamespacedName{Name: cluster}, c) // from the cache
	heard := c.Status.LastProbeTime
	switch ready := meta.FindStatusCondition(c.Status.Conditions, fluxmeta.ReadyCondition); {
	case err != nil || ready == nil || ready.Status == metav1.ConditionUnknown || heard == nil || time.Since(heard.Time) > staleWord:
		return notHeardYet, time.Time{}
	case ready.Status == metav1.ConditionFalse:
		return ready.Message, heard.Time
	}
	return "", heard.Time
}

// staleWord is how old what a replica says of a cluster may be: while it answers, that is said anew every heardInterval.
const staleWord = 2*heardInterval + handoverGrace

// silenceElsewhere is how it is that such a cluster is not heard from.
func (e *engine) silenceElsewhere(cluster string) status.Outage {
	if e.share.holders == nil {
		return status.Outage{}
	}
	said, _ := e.heardOf(cluster)
	s := status.Outage{Reason: said.reach.Reason}
	if said.reach.OpenSince != nil && said.reach.Retry != nil {
		s.Since, s.Retry = said.reach.OpenSince.Time, said.reach.Retry.Duration
	}
	return s
}
