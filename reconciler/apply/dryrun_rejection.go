package apply

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// verdict interprets an error. It returns a reason if the object is rejected, else why the result is not known.
func verdict(x *task, err error) (reason, why string) {
	p := problemOf(err)
	text := err.Error()
	switch {
	case p.Reason == live.Conflict:
		return live.Conflict, ""
	case p.Reason == live.NoMatch:
		return live.NoMatchForKind, ""
	case strings.Contains(text, "does not support dry run"):
		return "", "it cannot be tried"
	case strings.Contains(text, "denied the request"), strings.Contains(text, "failed calling webhook"):
		return live.AdmissionDenied, "" // with whatever code the webhook chose
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return "", "its namespace is being deleted"
	case apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict):
		return live.FieldConflict, ""
	case p.Reason == live.Forbidden:
		return forbiddenReason(err), ""
	case apierrors.IsNotFound(err):
		return notFoundReason(x, err), ""
	case p.Reason == live.Rejected:
		return rejectedReason(x, text), ""
	}
	return "", "the answer is not about the object"
}

// forbiddenReason distinguishes the sources of a 403: quota, authorization, admission.
func forbiddenReason(err error) string {
	switch text := err.Error(); {
	case isDenied(err):
		return live.Forbidden
	case strings.Contains(text, "exceeded quota"), strings.Contains(text, "failed quota"), strings.Contains(text, "status unknown for quota"):
		return live.QuotaExceeded
	case strings.Contains(text, `User "`) && strings.Contains(text, " cannot "), strings.Contains(text, "attempting to grant RBAC permissions"):
		return live.Forbidden
	}
	return live.AdmissionDenied
}

// notFoundReason distinguishes the missing thing of a 404: the namespace, the kind, or an object that the manifest
// names.
func notFoundReason(x *task, err error) string {
	var status apierrors.APIStatus
	switch {
	case !errors.As(err, &status) || status.Status().Details == nil || status.Status().Details.Name == "":
		return live.NoMatchForKind
	case status.Status().Details.Kind == "namespaces" && status.Status().Details.Name == x.ID.Namespace:
		return live.NamespaceMissing
	}
	return live.InvalidObject
}

// immutable are phrases of API servers about fields that cannot be changed.
var immutable = []string{
	"field is immutable", "is immutable", "updates to statefulset spec for fields other than",
	"pod updates may not change fields", "may not be changed", "may not change once set", "forbidden after creation",
}

func rejectedReason(x *task, text string) string {
	switch {
	case strings.Contains(text, "denied request"): // a ValidatingAdmissionPolicy
		return live.AdmissionDenied
	case x.exists && slices.ContainsFunc(immutable, func(s string) bool { return strings.Contains(text, s) }):
		return live.ImmutableField
	}
	return live.InvalidObject
}

// admissionName matches the webhook or the policy in an error message.
var admissionName = regexp.MustCompile(`admission webhook "[^"]+"|webhook "[^"]+"|ValidatingAdmissionPolicy '[^']+' with binding '[^']+'`)

// message returns the error message. For a Secret or an object that is marked as sensitive, it returns it only where
// the message cannot quote values.
func message(x *task, reason string, err error) string {
	harmless := []string{live.Conflict, live.NoMatchForKind, live.Forbidden, live.QuotaExceeded, live.NamespaceMissing}
	if !isSensitive(x) || slices.Contains(harmless, reason) {
		return err.Error()
	}
	who := "the API server"
	if found := admissionName.FindString(err.Error()); found != "" {
		who = found
	}
	return fmt.Sprintf("%s refuses it%s; the message is not shown, because it may quote the values of the %s", who, fieldsIn(err), x.ID.Kind)
}

// isSensitive reports whether the values of the object must not be shown.
func isSensitive(x *task) bool {
	return x.ID.IsSecret() || bytes.Contains(x.Body.Bytes(), []byte(`"`+manifest.SensitiveAnnotation+`"`))
}

// fieldsIn returns the fields that an error is about, or "".
func fieldsIn(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return ""
	}
	var fields []string
	for _, cause := range status.Status().Details.Causes {
		if cause.Field != "" {
			fields = append(fields, cause.Field)
		}
	}
	if len(fields) == 0 {
		return ""
	}
	return " [" + strings.Join(fields, " ") + "]"
}
