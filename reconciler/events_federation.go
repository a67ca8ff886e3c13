package reconciler

import (
	"fmt"
	"strings"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/status"
)

// Reasons of events about Federations and Releases, beside FetchFailed, BuildFailed and ReconciliationSucceeded.
const (
	suspendedReason = "Suspended"
	resumedReason   = "Resumed"
)

// unreadBeforeTold is how often in a row the sources cannot be read before a person is told: once is a hiccup.
const unreadBeforeTold = 2

// federationNews is what people were told of a Federation. It is guarded by the mutex of the federation.
type federationNews struct {
	known     bool // suspended is what the process before this one told
	suspended bool
	unread    int // how often in a row the sources could not be read
}

// looked tells that a Federation was suspended or resumed, and notes that the loop came by.
func (e *engine) looked(f *federation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = time.Now()
	if f.unread == "" {
		f.news.unread = 0
	}
	if !f.news.known {
		f.news.known = true
		f.news.suspended = meta.IsStatusConditionTrue(f.declaration.Status.Conditions, v1alpha1.Suspended)
	}
	if suspend := f.declaration.Spec.Suspend; suspend != f.news.suspended {
		f.news.suspended = suspend
		if suspend {
			e.event(f.declaration, normal, suspendedReason, "nothing is fetched or written any more; the clusters keep what they have")
		} else {
			e.event(f.declaration, normal, resumedReason, "its sources are looked at again")
		}
	}
}

// cannotRead tells that the sources cannot be read, when that is not only a hiccup. The caller holds f.mu.
func (e *engine) cannotRead(f *federation, err error) {
	if f.news.unread++; f.news.unread == unreadBeforeTold {
		e.event(f.declaration, warning, status.FetchFailed, "the sources cannot be read; the clusters keep what they have: "+err.Error())
	}
}

// tellRefused tells that a commit cannot be planned, with the first mistake. before is the status of its Release when it was
// refused before: the same is not told twice. The caller holds no mutex.
func (e *engine) tellRefused(about *v1alpha1.Federation, r *v1alpha1.Release, before v1alpha1.ReleaseStatus, err error) {
	mistakes := strings.Split(err.Error(), "\n") // one line each: errors.Join
	if len(before.Errors) > 0 && strings.HasPrefix(mistakes[0], strings.TrimSuffix(before.Errors[0], "...")) {
		return
	}
	text := fmt.Sprintf("commit %s is refused, and the clusters keep what they have: %s", r.Spec.Revision, mistakes[0])
	if more := len(mistakes) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	e.event(about, warning, status.BuildFailed, text)
}

// tellReady tells that a Release is Ready, once for every plan of it: what becomes unhealthy later is told of the Delivery.
func (e *engine) tellReady(f *federation, r *v1alpha1.Release) {
	ready := meta.FindStatusCondition(r.Status.Conditions, fluxmeta.ReadyCondition)
	if ready == nil || ready.Status != "True" {
		return
	}
	f.mu.Lock()
	news := f.leadTime.TakeReady(r.Name)
	f.mu.Unlock()
	if !news {
		return
	}
	text := ready.Message
	if r.Spec.CommittedAt != nil {
		text += ", " + duration.HumanDuration(counts.Since(r, time.Now())) + " after the commit"
	}
	e.event(r, normal, ready.Reason, text)
}
