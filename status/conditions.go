package status

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/internal/phrase"
)

// conditions collects the conditions of one status. All carry the same generation; a condition whose status did not
// change keeps its time, unless that is the one of 1970 with which the definitions fill in unwritten conditions.
type conditions struct {
	before     []metav1.Condition
	generation int64
	now        time.Time
	list       []metav1.Condition
}

// set adds a condition, or replaces the one of its type.
func (c *conditions) set(typ string, s metav1.ConditionStatus, reason, message string) {
	next := metav1.Condition{
		Type: typ, Status: s, Reason: reason, Message: shorten(message, maxMessage),
		ObservedGeneration: c.generation, LastTransitionTime: stamp(c.now),
	}
	if old := meta.FindStatusCondition(c.before, typ); old != nil && old.Status == s && old.LastTransitionTime.Unix() > 0 {
		next.LastTransitionTime = old.LastTransitionTime
	}
	c.list = slices.DeleteFunc(c.list, func(x metav1.Condition) bool { return x.Type == typ })
	c.list = append(c.list, next)
}

// keep copies a condition from the previous status, if it is there.
func (c *conditions) keep(typ string) {
	if old := meta.FindStatusCondition(c.before, typ); old != nil {
		c.set(typ, old.Status, old.Reason, old.Message)
	}
}

// summarize ends with Ready, and Reconciling or Stalled beside it: both are there only when they are True.
func (c *conditions) summarize(v verdict) []metav1.Condition {
	if v.stalled {
		c.set(stalled, metav1.ConditionTrue, v.reason, v.message)
	} else if v.reconciling != "" {
		c.set(reconciling, metav1.ConditionTrue, v.reconciling, v.message)
	}
	c.set(ready, v.ready, v.reason, v.message)
	return c.list
}

// maxHeadline limits the message of a status in tables, in characters.
const maxHeadline = 80

// headline returns the first sentence of the message of Ready: kubectl shows it as STATUS, and cannot cut a message itself.
func headline(list []metav1.Condition) string {
	r := meta.FindStatusCondition(list, ready)
	if r == nil {
		return ""
	}
	first, _, _ := strings.Cut(r.Message, ". ")
	first, _, _ = strings.Cut(first, "\n")
	return phrase.Cut(first, maxHeadline)
}

// stamp returns a time as the API stores it, to the second: a written value equals the value that is read back.
func stamp(t time.Time) metav1.Time { return metav1.NewTime(t.UTC().Truncate(time.Second)) }

// since returns an optional time.
func since(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	s := stamp(t)
	return &s
}
