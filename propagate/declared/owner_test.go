package declared_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/declared"
)

// TestHostileConnection: Git does not change how accord connects to a Cluster that others made.
func TestHostileConnection(t *testing.T) {
	owned := func(manager, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
	}
	joined := owned("accord", `{"f:spec":{"f:apiEndpoint":{},"f:secretRef":{},"f:syncMode":{}}}`)
	made := owned("kubectl-create", `{"f:spec":{".":{},"f:syncMode":{}}}`)
	git := owned(declared.FieldManager, `{"f:spec":{"f:apiEndpoint":{},"f:syncMode":{}}}`)
	held := owned("accord", `{"f:spec":{"f:hold":{}}}`)
	status := owned("accord", `{"f:spec":{"f:apiEndpoint":{}}}`)
	status.Subresource = "status"
	present := v1alpha1.ClusterSpec{APIEndpoint: "https://eu-1", SecretRef: &v1alpha1.SecretRef{Namespace: "accord-system", Name: "eu-1"}}
	for name, c := range map[string]struct {
		owners   []metav1.ManagedFieldsEntry
		manifest v1alpha1.ClusterSpec
		field    string
		owner    string
	}{
		"another endpoint":                 {[]metav1.ManagedFieldsEntry{joined}, v1alpha1.ClusterSpec{APIEndpoint: "https://loot"}, "spec.apiEndpoint", "accord"},
		"another Secret":                   {[]metav1.ManagedFieldsEntry{joined}, v1alpha1.ClusterSpec{SecretRef: &v1alpha1.SecretRef{Namespace: "accord-system", Name: "us"}}, "spec.secretRef", "accord"},
		"a proxy that nobody set":          {[]metav1.ManagedFieldsEntry{joined}, v1alpha1.ClusterSpec{ProxyURL: "http://loot"}, "spec.proxyURL", "accord"},
		"a header that nobody set":         {[]metav1.ManagedFieldsEntry{joined}, v1alpha1.ClusterSpec{ProxyHeader: map[string]string{"a": "b"}}, "spec.proxyHeader", "accord"},
		"any certificate":                  {[]metav1.ManagedFieldsEntry{joined}, v1alpha1.ClusterSpec{InsecureSkipTLSVerification: true}, "spec.insecureSkipTLSVerification", "accord"},
		"of a Cluster that Git set before": {[]metav1.ManagedFieldsEntry{git, joined}, v1alpha1.ClusterSpec{APIEndpoint: "https://loot"}, "spec.apiEndpoint", "accord"},
		"of a Cluster without an address":  {[]metav1.ManagedFieldsEntry{made}, v1alpha1.ClusterSpec{APIEndpoint: "https://loot"}, "spec.apiEndpoint", "kubectl-create"},
		"the same":                         {[]metav1.ManagedFieldsEntry{joined}, present, "", ""},
		"fields of policies":               {[]metav1.ManagedFieldsEntry{joined}, v1alpha1.ClusterSpec{Region: "eu", Hold: &v1alpha1.ClusterHold{Reason: "x"}}, "", ""},
		"a Cluster of Git":                 {[]metav1.ManagedFieldsEntry{git, held, status}, v1alpha1.ClusterSpec{APIEndpoint: "https://moved"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			on := v1alpha1.Cluster{Spec: present}
			on.ManagedFields = c.owners
			in := v1alpha1.Cluster{Spec: c.manifest}
			in.Name = "eu-1"
			err := declared.Connection(on, in)
			refused, _ := errors.AsType[*declared.Refusal](err)
			if c.field == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, &declared.Refusal{Cluster: "eu-1", Field: c.field, Owner: c.owner}, refused)
		})
	}
}

// TestOwners reads the conflicts of an API server.
func TestOwners(t *testing.T) {
	conflict := metav1.StatusCause{Type: metav1.CauseTypeFieldManagerConflict, Field: ".spec.region", Message: `conflict with "kubectl-edit" using accord.dev/v1alpha1`}
	require.NoError(t, declared.Owners("eu-1", []metav1.StatusCause{{Type: metav1.CauseTypeFieldValueInvalid}}))
	require.EqualError(t, declared.Owners("eu-1", []metav1.StatusCause{conflict}),
		`cluster eu-1: "kubectl-edit" set spec.region on the hub, and Git does not take a field from others; remove the field from the manifest, or write the value that the hub has`)
}
