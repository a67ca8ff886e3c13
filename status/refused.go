package status

import (
	"errors"
	"fmt"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
)

// RefusedByTenant: a Tenant does not allow the Federation or its newest revision, or no single Tenant governs the Federation. An
// administrator changes the Tenant, or the author changes the Federation or the commit.
const RefusedByTenant = "RefusedByTenant"

// PoisonRevision: the process died twice while it planned the revision. The next commit helps, or "accord reconcile --retry-poisoned".
const PoisonRevision = "PoisonRevision"

// SourceUnverified: no allowed signer signed the newest revision of a source (spec.sources[].verify). The next signed revision helps,
// or another key in the Secret of the signers.
const SourceUnverified = "SourceUnverified"

// Conflict: another Tenant governs the same Federation.
const Conflict = "Conflict"

// RefusalError is the error of a Federation or a revision that its Tenant does not allow.
type RefusalError struct{ Err error }

func (e *RefusalError) Error() string { return e.Err.Error() }
func (e *RefusalError) Unwrap() error { return e.Err }

// PoisonError is the error of a revision during whose planning the process died twice.
type PoisonError struct{ Err error }

func (e *PoisonError) Error() string { return e.Err.Error() }
func (e *PoisonError) Unwrap() error { return e.Err }

// UnverifiedError is the error of a revision that no allowed signer signed.
type UnverifiedError struct {
	// Revision of the source, "main@sha1:<40 hex>".
	Revision string
	Err      error
}

func (e *UnverifiedError) Error() string { return e.Err.Error() }
func (e *UnverifiedError) Unwrap() error { return e.Err }

// UnreadError is the error of a live cluster that cannot be read now. Its last objects count.
type UnreadError struct{ Err error }

func (e *UnreadError) Error() string { return e.Err.Error() }
func (e *UnreadError) Unwrap() error { return e.Err }

// DependencyError is the reason why a Federation does not start its newest revision: spec.dependsOn.
type DependencyError struct {
	// Reason of the condition.
	Reason, Message string
	// Temporary is set if no person has to do anything.
	Temporary bool
}

func (e *DependencyError) Error() string { return e.Message }

// verdict returns the verdict on the Federation.
func (e *DependencyError) verdict() verdict {
	if e.Temporary {
		return retrying(e.Reason, e.Message)
	}
	return terminal(e.Reason, e.Message)
}

// IsRead reports whether the sources were read, by the error of the newest revision.
func IsRead(err error) bool {
	_, waits := errors.AsType[*DependencyError](err)
	return err == nil || waits
}

// FetchFailure describes the error of the sources of a Federation.
func FetchFailure(err error) string {
	if _, unread := errors.AsType[*UnreadError](err); unread {
		return "a live cluster cannot be read, and accord plans with the objects that it read last: " + err.Error()
	}
	return "the sources cannot be read; the clusters keep their objects: " + err.Error()
}

// RejectionReason returns the reason of the conditions and the event about a commit that err rejects.
func RejectionReason(err error) string {
	if _, refused := errors.AsType[*RefusalError](err); refused {
		return RefusedByTenant
	}
	if _, poison := errors.AsType[*PoisonError](err); poison {
		return PoisonRevision
	}
	if _, unverified := errors.AsType[*UnverifiedError](err); unverified {
		return SourceUnverified
	}
	return BuildFailed
}

// TenantInput has the Federations that a Tenant governs.
type TenantInput struct {
	// Federations is the number of Federations that the Tenant governs.
	Federations int
	// Conflicts are the Federations that other Tenants govern, too: "team-a/shop (Tenants everyone and team-a)".
	Conflicts []string
}

// Tenant returns the status of a Tenant.
func Tenant(prev v1alpha1.TenantStatus, generation int64, in TenantInput, now time.Time) v1alpha1.TenantStatus {
	c := &conditions{before: prev.Conditions, generation: generation, now: now}
	v := succeeded("governs " + phrase.Count(in.Federations, "Federation"))
	if n := len(in.Conflicts); n > 0 {
		v = terminal(Conflict, fmt.Sprintf("another Tenant governs %s, too, and none of them may be reconciled: %s", phrase.Count(n, "Federation"), phrase.List(in.Conflicts, 3)))
	}
	next := v1alpha1.TenantStatus{ObservedGeneration: generation, Conditions: c.summarize(v), Federations: int32(in.Federations)}
	next.Message = headline(next.Conditions)
	return next
}

// SourceRefusal returns the reason and the message of a Federation that a Tenant refuses before its sources are read, or whose newest
// revision is not verified; an empty reason for other errors.
func SourceRefusal(err error) (reason, message string) {
	switch reason = RejectionReason(err); reason {
	case RefusedByTenant:
		return reason, "refused before the sources are read; the clusters keep their objects: " + err.Error()
	case SourceUnverified:
		return reason, "the newest revision is not verified; the clusters keep their objects: " + err.Error()
	}
	return "", ""
}
