package deliver

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

const (
	// SurveyInterval is the least time between two requests for the kinds that a cluster serves, and between two for its
	// free resources. It is far longer than between two probes, because the answers are long.
	SurveyInterval = time.Minute
	// SurveyTimeout bounds the time that a plan waits for reachable clusters that were never surveyed. The plan is then made
	// without the missing answers.
	SurveyTimeout = 5 * time.Second
	// maxUnavailable bounds the APIs without an answer that a condition names.
	maxUnavailable = 10
)

// survey has the last answers of a cluster about itself. Only the first plan that needs an answer waits for it.
type survey struct {
	mu     sync.Mutex // guards everything below
	models []v1alpha1.ResourceModel
	served answer[servedAPIs]
	room   answer[v1alpha1.ResourceSummary]
	// roomWanted is set while a plan waits for the free resources, roomRequested while another replica needs them.
	roomWanted, roomRequested bool
	finished                  chan struct{} // closed and replaced after every survey
}

// servedAPIs lists the served kinds in the form of the status of a Cluster.
type servedAPIs struct {
	Enabled []v1alpha1.APIEnablement
	TooMany bool // to be listed
	Missing []string
}

// answer is the last answer to one request.
type answer[T any] struct {
	asked time.Time // zero: never
	at    time.Time // of the value
	value *T        // nil: there was no answer, or accord may not know any more
	err   error     // of the last attempt
}

// due reports whether the request may be repeated.
func (a answer[T]) due(now time.Time) bool {
	return a.asked.IsZero() || now.Sub(a.asked) >= SurveyInterval
}

// record records an answer, and reports whether it is news. A failed request keeps the earlier answer, unless accord
// lacks the permission: an answer does not stay true for ever.
func (a *answer[T]) record(value T, err error, now time.Time) (news bool) {
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

// surveys surveys the cluster every SurveyInterval, and when a survey is requested.
func (w *Worker) surveys(ctx context.Context) {
	timer := time.NewTimer(SurveyInterval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-w.surveyNow:
		}
		w.surveyOnce(ctx)
		timer.Reset(SurveyInterval)
	}
}

// requestSurvey requests a survey soon, as far as it is due.
func (w *Worker) requestSurvey() {
	select {
	case w.surveyNow <- struct{}{}:
	default: // it is requested already
	}
}

// surveyOnce sends the requests that are due. Free resources are requested only where a plan needs them: the answer is
// long, and changes all the time.
func (w *Worker) surveyOnce(ctx context.Context) {
	if !w.reachable() {
		return
	}
	needed := w.pool.registry.NeedsRoom()
	s := &w.survey
	s.mu.Lock()
	now, models := time.Now(), s.models
	askServed, askRoom := s.served.due(now), (needed || s.roomWanted || s.roomRequested) && s.room.due(now)
	s.mu.Unlock()
	news := false
	if askServed {
		apis, err := w.member.Kinds.Discover()
		list, ok := apis.ForStatus()
		s.mu.Lock()
		news = s.served.record(servedAPIs{Enabled: list, TooMany: !ok, Missing: apis.Unavailable}, err, time.Now())
		s.mu.Unlock()
	}
	if askRoom && ctx.Err() == nil {
		summary, err := measure(ctx, w.member, models)
		s.mu.Lock()
		news = s.room.record(summary, err, time.Now()) || news
		s.mu.Unlock()
	}
	s.finish()
	if news && ctx.Err() == nil {
		w.pool.surveyed(w.Name())
	}
}

// finish wakes the plans that wait for a survey.
func (s *survey) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.finished)
	s.finished = make(chan struct{})
}

// Survey surveys the reachable clusters that were not surveyed for long, and waits for them, at most SurveyTimeout. With
// room it requests their free resources too. It reports whether there were any such clusters.
func (p *Pool) Survey(ctx context.Context, room bool) bool {
	ctx, cancel := context.WithTimeout(ctx, SurveyTimeout)
	defer cancel()
	var asked atomic.Bool
	var asking sync.WaitGroup
	for _, w := range p.Workers() {
		if w.reachable() {
			asking.Go(func() {
				if w.awaitSurvey(ctx, room) {
					asked.Store(true)
				}
			})
		}
	}
	asking.Wait()
	return asked.Load()
}

// awaitSurvey waits until the cluster was surveyed, if it was not for long, and reports whether it had to.
func (w *Worker) awaitSurvey(ctx context.Context, room bool) (asked bool) {
	for {
		finished, stale := w.survey.stale(room)
		if !stale {
			return asked
		}
		asked = true
		w.requestSurvey()
		select {
		case <-finished:
		case <-ctx.Done():
			return asked
		}
	}
}

// stale reports whether a request was not sent for longer than usual. finished is closed after the next survey.
func (s *survey) stale(room bool) (finished <-chan struct{}, stale bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := time.Now().Add(-2 * SurveyInterval)
	s.roomWanted = room && s.room.asked.Before(old)
	return s.finished, s.served.asked.Before(old) || s.roomWanted
}

// measure requests the free resources of a cluster, in its own grades or the default ones.
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

// SetResourceModels sets the grades in which nodes are counted from the next survey on, and whether another replica needs
// the free resources.
func (w *Worker) SetResourceModels(models []v1alpha1.ResourceModel, requested bool) {
	w.survey.mu.Lock()
	defer w.survey.mu.Unlock()
	w.survey.models, w.survey.roomRequested = models, requested
}

// Inform puts the answers of the last survey into the status of a Cluster. Fields without an answer stay.
func (w *Worker) Inform(c *v1alpha1.ClusterStatus, generation int64) {
	s := &w.survey
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.served.value != nil || s.served.err != nil && len(c.APIEnablements) == 0 {
		informServed(c, s.served, generation)
	}
	if s.room.asked.IsZero() {
		return
	}
	informRoom(c, s.room, generation)
}

func informRoom(c *v1alpha1.ClusterStatus, room answer[v1alpha1.ResourceSummary], generation int64) {
	available := metav1.Condition{
		Type: v1alpha1.ResourceSummaryAvailable, Status: metav1.ConditionTrue, Reason: "Measured", Message: "the resources of the nodes were measured",
		ObservedGeneration: generation, LastTransitionTime: metav1.NewTime(time.Now().UTC().Truncate(time.Second)),
	}
	if err := room.err; err != nil {
		available.Status, available.Reason, available.Message = metav1.ConditionFalse, clusters.Reason(err), err.Error()
	}
	meta.SetStatusCondition(&c.Conditions, available)
	switch {
	case room.value != nil:
		c.ResourceSummary = room.value.DeepCopy()
		c.ResourceSummary.MeasuredAt = &metav1.Time{Time: room.at.UTC().Truncate(time.Second)}
	case clusters.Reason(room.err) == clusters.Forbidden:
		c.ResourceSummary = nil
	}
}

// informServed puts the served kinds into a status, and whether they are complete.
func informServed(c *v1alpha1.ClusterStatus, served answer[servedAPIs], generation int64) {
	complete := metav1.Condition{
		Type: v1alpha1.CompleteAPIEnablements, Status: metav1.ConditionFalse, ObservedGeneration: generation,
		LastTransitionTime: metav1.NewTime(time.Now().UTC().Truncate(time.Second)),
	}
	if served.value == nil {
		complete.Reason, complete.Message = "Empty", served.err.Error()
		meta.SetStatusCondition(&c.Conditions, complete)
		return
	}
	switch missing := served.value.Missing; {
	case served.value.TooMany:
		complete.Reason, complete.Message = "TooMany", "the cluster serves more kinds than can be listed here"
	case len(missing) > 0:
		complete.Reason, complete.Message = "Partial", "no answer for "+strings.Join(missing[:min(len(missing), maxUnavailable)], ", ")
	default:
		complete.Status, complete.Reason, complete.Message = metav1.ConditionTrue, "Complete", "all kinds that the cluster serves are known"
	}
	c.APIEnablements = served.value.Enabled
	meta.SetStatusCondition(&c.Conditions, complete)
}
