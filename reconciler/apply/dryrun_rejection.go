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

	"github.com/accord-dev/accord/propagate/diff/hunk"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// verdict is what an answer that is no success means: an object that is refused, and then why is empty, or one about which
// nothing is known, and then reason is.
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
		return forbiddenReason(text), ""
	case apierrors.IsNotFound(err):
		return notFoundReason(x, err), ""
	case p.Reason == live.Rejected:
		return rejectedReason(x, text), ""
	}
	return "", "no answer that says anything of it"
}

// forbiddenReason tells apart who says no: all of them answer 403.
func forbiddenReason(text string) string {
	switch {
	case strings.Contains(text, "exceeded quota"), strings.Contains(text, "failed quota"), strings.Contains(text, "status unknown for quota"):
		return live.QuotaExceeded
	case strings.Contains(text, `User "`) && strings.Contains(text, " cannot "), strings.Contains(text, "attempting to grant RBAC permissions"):
		return live.Forbidden
	}
	return live.AdmissionDenied
}

// notFoundReason tells apart what was not found: the namespace, the kind, or something that the object names.
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

// immutable are parts of what API servers say of a field that cannot be changed.
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

// admissionName finds in the message of a refusal who made it.
var admissionName = regexp.MustCompile(`admission webhook "[^"]+"|webhook "[^"]+"|ValidatingAdmissionPolicy '[^']+' with binding '[^']+'`)

// message is what the API server says. Of a Secret, or of what is marked as sensitive, it is told only where it cannot have
// values: anybody who validates may quote them.
func message(x *task, reason string, err error) string {
	harmless := []string{live.Conflict, live.NoMatchForKind, live.Forbidden, live.QuotaExceeded, live.NamespaceMissing}
	if !isSensitive(x) || slices.Contains(harmless, reason) {
		return err.Error()
	}
	who := "the API server"
	if found := admissionName.FindString(err.Error()); found != "" {
		who = found
	}
	return fmt.Sprintf("%s does not take it%s; what it says is not shown, because it may quote the values of the %s", who, fieldsIn(err), x.ID.Kind)
}

// isSensitive says that nothing may be told of what is in the object.
func isSensitive(x *task) bool {
	return x.ID.IsSecret() || bytes.Contains(x.JSON, []byte(`"`+hunk.SensitiveAnnotation+`"`))
}

// fieldsIn names the fields that an answer is about.
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
