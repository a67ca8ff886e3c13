package apply

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/clusters"
)

// Why an object could not be delivered, in one word.
const (
	Conflict  = "Conflict"  // it exists and is not ours
	Rejected  = "Rejected"  // the API server says that it is not valid, or an admission webhook refuses it
	Forbidden = "Forbidden" // we may not do this
	NoMatch   = "NoMatch"   // the cluster does not serve the kind
	Timeout   = "Timeout"   // no answer in time
	Busy      = "Busy"      // the API server cannot do it now
	Failed    = "Failed"    // anything else
)

// Problem is why one object could not be delivered.
type Problem struct {
	Reason string
	// Retry says that trying again may help although nobody does anything about it.
	Retry bool
	Err   error
}

func (p *Problem) Error() string { return p.Err.Error() }

func (p *Problem) Unwrap() error { return p.Err }

// problem classifies what the API server answered.
func problem(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	reason, retry := classify(err)
	return &Problem{Reason: reason, Retry: retry, Err: err}
}

func classify(err error) (reason string, retry bool) {
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return Busy, true // it is created anew when it is gone
	case apierrors.IsForbidden(err):
		return Forbidden, false
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsRequestEntityTooLargeError(err),
		apierrors.IsMethodNotSupported(err), apierrors.IsNotAcceptable(err), apierrors.IsUnsupportedMediaType(err):
		return Rejected, false
	case meta.IsNoMatchError(err):
		return NoMatch, true
	case errors.Is(err, context.DeadlineExceeded), apierrors.IsTimeout(err), apierrors.IsServerTimeout(err):
		return Timeout, true
	case apierrors.IsTooManyRequests(err), apierrors.IsServiceUnavailable(err), apierrors.IsInternalError(err), clusters.Down(err):
		return Busy, true
	}
	return Failed, true
}

// conflict is the problem of an object that exists and is not ours.
func conflict(format string, args ...any) *Problem {
	return &Problem{Reason: Conflict, Err: fmt.Errorf(format, args...)}
}
