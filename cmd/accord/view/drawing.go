package view

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view/picture"
	stages "github.com/accord-dev/accord/propagate/stage"
)

var errNothingToDraw = errors.New("no rollout to draw: no commit was read yet")

// draw writes the drawing of a rollout: the one of the policy, or the only one.
func draw(out io.Writer, rel *v1alpha1.Release, deliveries []v1alpha1.Delivery, policy string, now time.Time) error {
	if rel == nil {
		return errNothingToDraw
	}
	o, err := findRollout(rel, policy)
	if err != nil {
		return err
	}
	_, err = out.Write(picture.SVG(drawingOf(rel, o, deliveries, now)))
	return err
}

// findRollout returns the rollout of a policy, or the only one.
func findRollout(rel *v1alpha1.Release, policy string) (*v1alpha1.RolloutStatus, error) {
	o, err := hub.FindRollout(rel, policy)
	if err != nil {
		return nil, fmt.Errorf("drawing: %w (--rollout names one)", err)
	}
	return o, nil
}

// drawingOf returns the drawing of a rollout.
func drawingOf(rel *v1alpha1.Release, o *v1alpha1.RolloutStatus, deliveries []v1alpha1.Delivery, now time.Time) picture.Rollout {
	p := picture.Rollout{
		Title:   fmt.Sprintf("%s @ %s, rollout %s", rel.Spec.Federation, text.ShortRevision(rel.Spec.Revision), o.Policy),
		Verdict: o.Phase, Begin: now, End: now,
	}
	if o.Phase != string(stages.Complete) {
		p.Verdict = text.Join(": ", o.Phase, o.Message)
	}
	if o.StartedAt != nil {
		p.Begin = o.StartedAt.Time
	}
	if o.CompletedAt != nil { // show some time after the end
		p.End = o.CompletedAt.Add(max(time.Minute, o.CompletedAt.Sub(p.Begin)/10))
		if now.Before(p.End) {
			p.End = now
		}
	}
	if o.WaitingFor != nil {
		p.WaitingFor = waitingLine(o.WaitingFor, now)
	}
	for _, s := range o.Stages {
		drawn := picture.Stage{Name: s.Name, Note: stageNote(s), Began: instant(s.StartedAt), Passed: instant(s.CompletedAt)}
		for i := range deliveries {
			for _, m := range deliveries[i].Status.Rollouts {
				if m.Policy == o.Policy && m.Stage == s.Name && len(drawn.Clusters) < int(s.Clusters) {
					drawn.Clusters = append(drawn.Clusters, picture.Cluster{Name: deliveries[i].Spec.Cluster, Bars: barsOf(m, o, p.Begin, p.End)})
				}
			}
		}
		slices.SortFunc(drawn.Clusters, byStart)
		drawn.Omitted = max(0, int(s.Clusters)-len(drawn.Clusters))
		p.Stages = append(p.Stages, drawn)
	}
	return p
}

// byStart sorts clusters by the time of their update.
func byStart(a, b picture.Cluster) int {
	first := func(c picture.Cluster) time.Time {
		for _, bar := range c.Bars {
			if bar.Kind != picture.Waits {
				return bar.From
			}
		}
		return time.Unix(1<<40, 0)
	}
	return cmp.Or(first(a).Compare(first(b)), strings.Compare(a.Name, b.Name))
}

func instant(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

func microInstant(t *metav1.MicroTime) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// barsOf returns the states of a cluster since the rollout began. A cluster that was not updated since keeps its first state.
func barsOf(m v1alpha1.DeliveryRollout, o *v1alpha1.RolloutStatus, begin, end time.Time) []picture.Bar {
	var turns []picture.Bar // each lasts until the next one
	turn := func(kind picture.Kind, at time.Time) {
		if !at.IsZero() && at.Before(end) {
			turns = append(turns, picture.Bar{Kind: kind, From: later(at, begin)})
		}
	}
	turn(picture.Waits, begin)
	if given := microInstant(m.UpdatedAt); !given.Before(begin) {
		healthy, passed := microInstant(m.HealthySince), microInstant(m.GatePassedAt)
		if isGivenBack(m, o) {
			turn(picture.Had, later(stageStart(m, o), begin))
			turn(picture.Restored, given)
		} else {
			turn(picture.Changing, given)
			turn(picture.Soaking, later(healthy, given, healthy))
			turn(picture.Passed, later(passed, healthy, passed))
		}
		if failing(m, o) {
			turn(picture.Failing, microInstant(m.UnhealthySince))
		}
	}
	turn(picture.Away, microInstant(m.UnavailableSince))
	slices.SortStableFunc(turns, func(a, b picture.Bar) int { return a.From.Compare(b.From) })
	for i := range turns {
		turns[i].To = end
		if i+1 < len(turns) {
			turns[i].To = turns[i+1].From
		}
	}
	return slices.DeleteFunc(turns, func(b picture.Bar) bool { return b.Kind != picture.Changing && !b.To.After(b.From) })
}

// isGivenBack reports whether a rollback gave the cluster its last healthy version. The Delivery no longer tells how it went before.
func isGivenBack(m v1alpha1.DeliveryRollout, o *v1alpha1.RolloutStatus) bool {
	return o.Phase == string(stages.RolledBack) && m.LastHealthy != nil && m.Current == *m.LastHealthy
}

// stageStart returns the start of the stage of a cluster, zero if it has not started.
func stageStart(m v1alpha1.DeliveryRollout, o *v1alpha1.RolloutStatus) time.Time {
	if s := stageOf(m, o); s != nil {
		return instant(s.StartedAt)
	}
	return time.Time{}
}

// stageOf returns the stage of a cluster, nil if it is in none that the rollout lists.
func stageOf(m v1alpha1.DeliveryRollout, o *v1alpha1.RolloutStatus) *v1alpha1.StageStatus {
	i := slices.IndexFunc(o.Stages, func(s v1alpha1.StageStatus) bool { return s.Name == m.Stage })
	if i < 0 {
		return nil
	}
	return &o.Stages[i]
}

// failing reports whether an unhealthy cluster is a failure: it was healthy before, a rollback gave its version back, or
// the stage counts failing clusters. Every other cluster is unhealthy for a while after a change.
func failing(m v1alpha1.DeliveryRollout, o *v1alpha1.RolloutStatus) bool {
	stopped := o.Phase == string(stages.Halted) && o.Stage == m.Stage
	s := stageOf(m, o)
	return m.UnhealthySince != nil && (m.GatePassedAt != nil || stopped || isGivenBack(m, o) || s != nil && s.Failing > 0)
}

// later returns the later of two times. It returns zero if the third time is zero.
func later(a, b time.Time, unless ...time.Time) time.Time {
	if len(unless) > 0 && unless[0].IsZero() {
		return time.Time{}
	}
	if a.After(b) {
		return a
	}
	return b
}
