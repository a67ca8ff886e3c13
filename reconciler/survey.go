package reconciler

import (
	"context"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/discovery"
)

// surveyInterval is the least time between two questions about what a cluster serves, and between two about the room it
// has. It is far longer than that between two probes, because the answers are long.
const surveyInterval = time.Minute

// survey is what a cluster said of itself last. Nothing waits for it but the first plan that needs it.
type survey struct {
	mu     sync.Mutex // guards all below
	models []v1alpha1.ResourceModel
	served answerOf[listing]
	room   answerOf[v1alpha1.ResourceSummary]
	// wanted: a plan that is being made needs to know the room. asked: so does one of another replica.
	wanted, asked bool
	told          chan struct{} // closed and replaced when the cluster was asked
}

// listing is what a cluster serves, as the status of its Cluster has it.
type listing struct {
	Enabled []v1alpha1.APIEnablement
	TooMany bool // to be listed
	Missing []string
}

func listingOf(s discovery.APIs) listing {
	list, ok := s.ForStatus()
	return listing{Enabled: list, TooMany: !ok, Missing: s.Unavailable}
}

// answerOf is the last answer to one question.
type answerOf[T any] struct {
	asked time.Time // zero: never
	at    time.Time // of the value
	value *T        // nil: it never answered, or we may not know any more
	err   error     // of the last attempt
}

// due says that the question may be asked again.
func (a answerOf[T]) due(now time.Time) bool {
	return a.asked.IsZero() || now.Sub(a.asked) >= surveyInterval
}

// note takes an answer; it says whether that is news. One that could not be had leaves the one before, unless we are
// not allowed to know: what was known once is not true for ever.
func (a *answerOf[T]) note(value T, err error, now time.Time) (news bool) {
	before := *a
	a.asked, a.err = now, err
	switch {
	case err == nil:
		a.value, a.at = &value, now
	case clusters.Reason(err) == clusters.Forbidden:
		a.value = nil
	}
	return before.asked.IsZero() || (before.err == nil) != (err == nil) || !equality.Semantic.DeepEqual(before.value, a.value)
}

// surveys asks the cluster when it is heard from, every surveyInterval, and when somebody wants to know.
func (b *bulkhead) surveys(ctx context.Context) {
	timer := time.NewTimer(surveyInterval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-b.curious:
		}
		b.survey(ctx)
		timer.Reset(surveyInterval)
	}
}

// wonder has the cluster asked soon, if it is time.
func (b *bulkhead) wonder() {
	select {
	case b.curious <- struct{}{}:
	default: // it will be
	}
}

// survey asks what is due. Room is only asked for where some plan needs it: its answer is long, and changes all the time.
func (b *bulkhead) survey(ctx context.Context) {
	if silent, _ := b.reach(); silent != "" {
		return
	}
	needed := b.engine.needsRoom()
	s := &b.facts
	s.mu.Lock()
	now, models := time.Now(), s.models
	askServed, askRoom := s.served.due(now), (needed || s.wanted || s.asked) && s.room.due(now)
	s.mu.Unlock()
	news := false
	if askServed {
		served, err := b.Kinds.Discover()
		s.mu.Lock()
		news = s.served.note(listingOf(served), err, time.Now())
		s.mu.Unlock()
	}
	if askRoom && ctx.Err() == nil {
		summary, err := measure(ctx, b.Member, models)
		s.mu.Lock()
		news = s.room.note(summary, err, time.Now()) || news
		s.mu.Unlock()
	}
	s.tell()
	if news && ctx.Err() == nil {
		b.engine.surveyed(b.Name)
	}
}

// tell wakes those who wait for an answer.
func (s *survey) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.told)
	s.told = make(chan struct{})
}

// inquire waits until the cluster was asked what it was not asked for long; it says whether there was such a question.
func (b *bulkhead) inquire(ctx context.Context, room bool) (asked bool) {
	for {
		told, stale := b.facts.stale(room)
		if !stale {
			return asked
		}
		asked = true
		b.wonder()
		select {
		case <-told:
		case <-ctx.Done():
			return asked
		}
	}
}

// stale says whether a question was not asked for longer than is usual, and what is closed when the cluster was asked.
func (s *survey) stale(room bool) (told <-chan struct{}, stale bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := time.Now().Add(-2 * surveyInterval)
	s.wanted = room && s.room.asked.Before(old)
	return s.told, s.served.asked.Before(old) || s.wanted
}

// measure asks for the room of a cluster, in its own grades or the default ones.
func measure(ctx context.Context, m *clusters.Member, models []v1alpha1.ResourceModel) (v1alpha1.ResourceSummary, error) {
	ctx, cancel := context.WithTimeout(ctx, clusters.RequestTimeout)
	defer cancel()
	standard := v1alpha1.StandardResourceModels(models)
	if len(standard) == 0 {
		standard = v1alpha1.DefaultResourceModels()
	}
	summary, err := clusters.Capacity(ctx, m, standard)
	summary.DefaultModels = len(models) == 0
	return summary, err
}

// setModels says in which grades the nodes are to be counted from the next time on, and whether another replica asks for it.
func (s *survey) setModels(models []v1alpha1.ResourceModel, asked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models, s.asked = models, asked
}

// inform puts what is known into the status of a Cluster, in place of what stands there. What was never asked, or is not
// answered, stays.
func (s *survey) inform(c *v1alpha1.ClusterStatus, generation int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.served.value != nil || s.served.err != nil && len(c.APIEnablements) == 0 {
		s.informServed(c, generation)
	}
	if s.room.asked.IsZero() {
		return
	}
	available := metav1.Condition{
		Type: v1alpha1.ResourceSummaryAvailable, Status: metav1.ConditionTrue, Reason: "Measured", Message: "the resources of the nodes were measured",
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(time.Now().UTC().Truncate(time.Second)),
	}
	if err := s.room.err; err != nil {
		available.Status, available.Reason, available.Message = metav1.ConditionFalse, clusters.Reason(err), err.Error()
	}
	meta.SetStatusCondition(&c.Conditions, available)
	switch {
	case s.room.value != nil:
		c.ResourceSummary = s.room.value.DeepCopy()
		c.ResourceSummary.MeasuredAt = &metav1.Time{Time: s.room.at.UTC().Truncate(time.Second)}
	case clusters.Reason(s.room.err) == clusters.Forbidden:
		c.ResourceSummary = nil
	}
}

// informServed puts in the kinds, and whether they are all. The caller holds s.mu.
func (s *survey) informServed(c *v1alpha1.ClusterStatus, generation int64) {
	complete := metav1.Condition{
		Type: v1alpha1.CompleteAPIEnablements, Status: metav1.ConditionFalse, ObservedGeneration: generation,
		LastTransitionTime: metav1.NewTime(time.Now().UTC().Truncate(time.Second)),
	}
	if s.served.value == nil {
		complete.Reason, complete.Message = clusters.Reason(s.served.err), s.served.err.Error()
		meta.SetStatusCondition(&c.Conditions, complete)
		return
	}
	switch missing := s.served.value.Missing; {
	case s.served.value.TooMany:
		complete.Reason, complete.Message = "TooMany", "the cluster serves more kinds than can be listed here"
	case len(missing) > 0:
		complete.Reason, complete.Message = "Partial", "nobody answers for "+strings.Join(missing[:min(len(missing), maxMissing)], ", ")
	default:
		complete.Status, complete.Reason, complete.Message = metav1.ConditionTrue, "Complete", "all kinds that the cluster serves are known"
	}
	c.APIEnablements = s.served.value.Enabled
	meta.SetStatusCondition(&c.Conditions, complete)
}

// maxMissing is how many APIs that do not answer are named.
const maxMissing = 10
