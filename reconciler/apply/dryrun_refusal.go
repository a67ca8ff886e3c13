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
)

// Why an object would not be written, beside Conflict (it exists and is not ours: accord leaves it alone) and Forbidden (we
// may not do this).
const (
	QuotaExceeded    = "QuotaExceeded"    // a ResourceQuota of its namespace has no room for it
	AdmissionDenied  = "AdmissionDenied"  // an admission webhook, policy or plugin denies it, or cannot be asked
	NoMatchForKind   = "NoMatchForKind"   // the cluster does not serve the kind in this version
	FieldConflict    = "FieldConflict"    // another manager has a field that cannot be taken over
	ImmutableField   = "ImmutableField"   // it exists, and a field of it cannot be changed
	NamespaceMissing = "NamespaceMissing" // its namespace does not exist, and is not brought along
	InvalidObject    = "Invalid"          // it is not valid
)

// verdict is what an answer that is no success means: an object that is refused, and then why is empty, or one about which
// nothing is known, and then reason is.
func verdict(x *task, err error) (reason, why string) {
	p := problem(err)
	text := err.Error()
	switch {
	case p.Reason == Conflict:
		return Conflict, ""
	case p.Reason == NoMatch:
		return NoMatchForKind, ""
	case strings.Contains(text, "does not support dry run"):
		return "", "it cannot be tried"
	case strings.Contains(text, "denied the request"), strings.Contains(text, "failed calling webhook"):
		return AdmissionDenied, "" // with whatever code the webhook chose
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return "", "its namespace is being deleted"
	case apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict):
		return FieldConflict, ""
	case p.Reason == Forbidden:
		return forbidden(text), ""
	case apierrors.IsNotFound(err):
		return absent(x, err), ""
	case p.Reason == Rejected:
		return rejected(x, text), ""
	}
	return "", "no answer that says anything of it"
}

// forbidden tells apart who says no: all of them answer 403.
func forbidden(text string) string {
	switch {
	case strings.Contains(text, "exceeded quota"), strings.Contains(text, "failed quota"), strings.Contains(text, "status unknown for quota"):
		return QuotaExceeded
	case strings.Contains(text, `User "`) && strings.Contains(text, " cannot "), strings.Contains(text, "attempting to grant RBAC permissions"):
		return Forbidden
	}
	return AdmissionDenied
}

// absent tells apart what was not found: the namespace, the kind, or something that the object names.
func absent(x *task, err error) string {
	var status apierrors.APIStatus
	switch {
	case !errors.As(err, &status) || status.Status().Details == nil || status.Status().Details.Name == "":
		return NoMatchForKind
	case status.Status().Details.Kind == "namespaces" && status.Status().Details.Name == x.ID.Namespace:
		return NamespaceMissing
	}
	return InvalidObject
}

// immutable are parts of what API servers say of a field that cannot be changed.
var immutable = []string{
	"field is immutable", "is immutable", "updates to statefulset spec for fields other than",
	"pod updates may not change fields", "may not be changed", "may not change once set", "forbidden after creation",
}

func rejected(x *task, text string) string {
	switch {
	case strings.Contains(text, "denied request"): // a ValidatingAdmissionPolicy
		return AdmissionDenied
	case x.exists && slices.ContainsFunc(immutable, func(s string) bool { return strings.Contains(text, s) }):
		return ImmutableField
	}
	return InvalidObject
}

// controls finds in the message of a refusal who made it.
var controls = regexp.MustCompile(`admission webhook "[^"]+"|webhook "[^"]+"|ValidatingAdmissionPolicy '[^']+' with binding '[^']+'`)

// message is what the API server says. Of a Secret, or of what is marked as sensitive, it is told only where it cannot have
// values: anybody who validates may quote them.
func message(x *task, reason string, err error) string {
	harmless := []string{Conflict, NoMatchForKind, Forbidden, QuotaExceeded, NamespaceMissing}
	if !secret(x) || slices.Contains(harmless, reason) {
		return err.Error()
	}
	who := "the API server"
	if found := controls.FindString(err.Error()); found != "" {
		who = found
	}
	return fmt.Sprintf("%s does not take it%s; what it says is not shown, because it may quote the values of the %s", who, at(err), x.ID.Kind)
}

// secret says that nothing may be told of what is in the object.
func secret(x *task) bool {
	return x.ID.IsSecret() || bytes.Contains(x.JSON, []byte(`"`+hunk.SensitiveAnnotation+`"`))
}

// at names the fields that an answer is about.
func at(err error) string {
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
