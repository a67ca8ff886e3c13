package status

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// Verdicts on a rollout, see v1alpha1.RolloutStatus.
const (
	RolloutComplete    = "Complete"
	Soaking            = "Soaking"
	WaitingForApproval = "WaitingForApproval"
	WaitingForWindow   = "WaitingForWindow"
	Paused             = "Paused"
	Halted             = "Halted"
	RolledBack         = "RolledBack"
)

const (
	maxRollouts = 10
	maxStages   = 16
)

// rolloutOrder ranks the phases of several rollouts: first those that need a person, then those that progress, and last
// those that wait for somebody. While one of them progresses, the Release does.
var rolloutOrder = []string{RolledBack, Halted, Progressing, Soaking, WaitingForWindow, WaitingForApproval, Paused}

// leading returns the rollout that determines the state of the Release; nil when all are complete.
func (in ReleaseInput) leading() *v1alpha1.RolloutStatus {
	var first *v1alpha1.RolloutStatus
	rank := func(r *v1alpha1.RolloutStatus) int {
		if r.Terminal {
			return -1
		}
		return slices.Index(rolloutOrder, r.Phase)
	}
	for i := range in.Rollouts {
		r := &in.Rollouts[i]
		if r.Phase != RolloutComplete && (first == nil || rank(r) < rank(first)) {
			first = r
		}
	}
	return first
}

// rolloutVerdict returns the verdict of a rollout that is not complete.
func rolloutVerdict(r *v1alpha1.RolloutStatus) verdict {
	message := fmt.Sprintf("RolloutPolicy %s: %s", r.Policy, r.Message)
	if r.Stage != "" {
		message = fmt.Sprintf("RolloutPolicy %s, stage %s: %s", r.Policy, r.Stage, r.Message)
	}
	switch {
	case r.Terminal && r.Phase == RolledBack:
		return terminal(RolledBack, message)
	case r.Terminal:
		return terminal(r.Reason, message)
	case r.Phase == Halted:
		return retrying(Halted, message)
	case r.Phase == WaitingForApproval || r.Phase == Paused:
		return waiting(r.Phase, message)
	}
	v := inProgress(message)
	v.reason = r.Phase
	return v
}

// rolloutConditions corrects Applied for clusters that wait for their stage: not everything was written, and nobody
// holds them.
func (in ReleaseInput) rolloutConditions(c *conditions, t tally) {
	r := in.leading()
	if r == nil || len(in.Errors) > 0 {
		return
	}
	message := fmt.Sprintf("%d of %s run what was decided", t.Summary.Applied, phrase.Count(int(t.Total), "cluster"))
	if r.Terminal {
		c.set(v1alpha1.Applied, metav1.ConditionFalse, rolloutVerdict(r).reason, message)
	} else if rolloutVerdict(r).reconciling != "" && !t.refused && !t.terminal { // else somebody holds it on purpose
		c.set(v1alpha1.Applied, metav1.ConditionUnknown, r.Phase, message)
	}
}

// waitsFor returns WaitingFor of a rollout, with its own times.
func waitsFor(r *v1alpha1.RolloutStatus) *v1alpha1.WaitingFor {
	if r.WaitingFor == nil {
		return nil
	}
	w := r.WaitingFor.DeepCopy()
	w.Message = shorten(w.Message, maxSentence)
	return w
}

// rollouts bounds the rollouts in the status.
func (in ReleaseInput) rollouts() (list []v1alpha1.RolloutStatus, omitted int32) {
	shown := min(len(in.Rollouts), maxRollouts)
	for _, r := range in.Rollouts[:shown] {
		list = append(list, boundedRollout(r))
	}
	return list, int32(len(in.Rollouts) - shown)
}

func boundedRollout(r v1alpha1.RolloutStatus) v1alpha1.RolloutStatus {
	next := *r.DeepCopy()
	next.Message = shorten(next.Message, maxSentence)
	next.Stages = next.Stages[:min(len(next.Stages), maxStages)]
	next.StagesOmitted = int32(len(r.Stages) - len(next.Stages))
	for i := range next.Stages {
		next.Stages[i].Message = shorten(next.Stages[i].Message, maxSentence/4)
	}
	next.OutdatedClusters = next.OutdatedClusters[:min(len(next.OutdatedClusters), maxList)]
	next.OutdatedClustersOmitted = int32(len(r.OutdatedClusters) - len(next.OutdatedClusters))
	next.RollbackRevisions = next.RollbackRevisions[:min(len(next.RollbackRevisions), maxList)]
	if next.WaitingFor != nil {
		next.WaitingFor.Message = shorten(next.WaitingFor.Message, maxSentence)
	}
	return next
}

// Time returns an optional time of a status, to the second.
func Time(t time.Time) *metav1.Time { return since(t) }
