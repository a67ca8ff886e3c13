package apply

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/accord-dev/accord/api/manifest"
)

func TestWhatAnAPIServerSaysOfASecretIsNotShown(t *testing.T) {
	secrets, db := schema.GroupResource{Resource: "secrets"}, manifest.ID{Kind: "Secret", Namespace: "shop", Name: "db"}
	for name, c := range map[string]struct {
		err   error
		shown bool
	}{
		"a right is missing": {apierrors.NewForbidden(secrets, "db", errors.New(`User "accord" cannot patch resource "secrets" in API group "" in the namespace "shop": no planted`)), true},
		"a value is not valid": {apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "db", field.ErrorList{
			field.Invalid(field.NewPath("data"), "planted", "is wrong"),
		}), false},
		"a webhook denies it": {&apierrors.StatusError{ErrStatus: metav1.Status{
			Code: 403, Reason: metav1.StatusReasonForbidden, Message: `admission webhook "w.example" denied the request: planted is weak`,
		}}, false},
		"a policy denies it": {apierrors.NewForbidden(secrets, "db", errors.New(`ValidatingAdmissionPolicy 'p' with binding 'b' denied request: planted is weak`)), false},
	} {
		t.Run(name, func(t *testing.T) {
			said := redact(db, problemOf(c.err)).Error()
			if c.shown {
				require.Contains(t, said, "planted")
				return
			}
			require.NotContains(t, said, "planted")
			require.Contains(t, redact(manifest.ID{Kind: "ConfigMap"}, problemOf(c.err)).Error(), "planted")
		})
	}
}
