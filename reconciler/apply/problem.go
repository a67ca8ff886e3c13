package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/accord-dev/accord/api/manifest"
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
	case strings.Contains(err.Error(), "failed to create typed patch object"):
		return Rejected, false // a field that is not in the schema, or of another type; the API server calls that an internal error
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

// discreet is err without what an API server quotes of the object. What it says of a Secret may contain its values.
func discreet(id manifest.ID, p *Problem) *Problem {
	var status apierrors.APIStatus
	if !id.IsSecret() || !quoting(p) || !errors.As(p.Err, &status) {
		return p
	}
	var at []string
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			at = append(at, cause.Field)
		}
	}
	return &Problem{Reason: p.Reason, Retry: p.Retry, Err: fmt.Errorf(
		"the API server refuses it [%s]; what it says is not shown, because it may quote the values of the Secret", strings.Join(at, " "))}
}

// quoting says that an answer may be about values: what is not valid, and what admission denies, which is Forbidden like
// a missing right but not in the authorizer's words.
func quoting(p *Problem) bool {
	return p.Reason == Rejected || p.Reason == Forbidden && !strings.Contains(p.Err.Error(), `is forbidden: User "`)
}

// conflict is the problem of an object that exists and is not ours.
func conflict(format string, args ...any) *Problem {
	return &Problem{Reason: Conflict, Err: fmt.Errorf(format, args...)}
}
