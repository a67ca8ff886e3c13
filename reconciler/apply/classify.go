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
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// problemOf classifies an error of the API server.
func problemOf(err error) *live.Problem {
	if p, ok := errors.AsType[*live.Problem](err); ok {
		return p
	}
	reason, retry := classify(err)
	return &live.Problem{Reason: reason, Retry: retry, Err: err}
}

func classify(err error) (reason string, retry bool) {
	switch {
	case strings.Contains(err.Error(), "failed to create typed patch object"):
		return live.Rejected, false // a field that is not in the schema, or of another type; the API server calls that an internal error
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return live.Busy, true // it is created again after that
	case apierrors.IsForbidden(err):
		return live.Forbidden, false
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsRequestEntityTooLargeError(err),
		apierrors.IsMethodNotSupported(err), apierrors.IsNotAcceptable(err), apierrors.IsUnsupportedMediaType(err):
		return live.Rejected, false
	case meta.IsNoMatchError(err):
		return live.NoMatch, true
	case errors.Is(err, context.DeadlineExceeded), apierrors.IsTimeout(err), apierrors.IsServerTimeout(err):
		return live.Timeout, true
	case apierrors.IsTooManyRequests(err), apierrors.IsServiceUnavailable(err), apierrors.IsInternalError(err), clusters.Down(err):
		return live.Busy, true
	}
	return live.Failed, true
}

// redact removes the parts that the API server quotes from the object: for a Secret they may contain its values.
func redact(id manifest.ID, p *live.Problem) *live.Problem {
	var status apierrors.APIStatus
	if !id.IsSecret() || !mayQuote(p) || !errors.As(p.Err, &status) {
		return p
	}
	var at []string
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			at = append(at, cause.Field)
		}
	}
	return &live.Problem{Reason: p.Reason, Retry: p.Retry, Err: fmt.Errorf(
		"the API server refuses it [%s]; the message is not shown, because it may quote the values of the Secret", strings.Join(at, " "))}
}

// mayQuote reports whether an error may quote values: one of validation, or a denial by admission, which is
// Forbidden like a missing permission but not in the words of the authorizer.
func mayQuote(p *live.Problem) bool {
	return p.Reason == live.Rejected || p.Reason == live.Forbidden && !isDenied(p.Err) && !strings.Contains(p.Err.Error(), `is forbidden: User "`)
}
