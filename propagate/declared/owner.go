package declared

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// FieldManager owns the fields of Clusters that come from Git.
const FieldManager = "accord-source"

// Refusal is the error of a Cluster manifest that sets a field which others own on the hub.
type Refusal struct {
	Cluster string
	// Field is the path of the field, "spec.apiEndpoint", and Owner the field manager that owns it.
	Field, Owner string
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("cluster %s: %q set %s on the hub, and Git does not take a field from others; remove the field from the manifest, or write the value that the hub has",
		r.Cluster, r.Owner, r.Field)
}

// Connection returns a Refusal if a manifest sets how accord connects to a Cluster that others made, and says otherwise than
// the Cluster. present is the Cluster of the hub.
func Connection(present, manifest v1alpha1.Cluster) error {
	owner := maker(present.ManagedFields)
	if owner == "" {
		return nil
	}
	a, b := present.Spec, manifest.Spec
	for _, f := range []struct {
		name        string
		now, wanted any
	}{
		{"apiEndpoint", a.APIEndpoint, b.APIEndpoint},
		{"secretRef", a.SecretRef, b.SecretRef},
		{"proxyURL", a.ProxyURL, b.ProxyURL},
		{"proxyHeader", a.ProxyHeader, b.ProxyHeader},
		{"insecureSkipTLSVerification", a.InsecureSkipTLSVerification, b.InsecureSkipTLSVerification},
	} {
		if !reflect.ValueOf(f.wanted).IsZero() && !reflect.DeepEqual(f.now, f.wanted) {
			return &Refusal{Cluster: manifest.Name, Field: "spec." + f.name, Owner: owner}
		}
	}
	return nil
}

// maker returns the field manager, other than Git, that created the Cluster or set how accord connects to it; empty if Git
// did both. The creator owns syncMode, which has a default.
func maker(fields []metav1.ManagedFieldsEntry) string {
	for _, m := range fields {
		if m.Manager == FieldManager || m.Subresource != "" || m.FieldsV1 == nil {
			continue
		}
		var owned struct {
			Spec map[string]json.RawMessage `json:"f:spec"`
		}
		if json.Unmarshal(m.FieldsV1.GetRawBytes(), &owned) != nil {
			return m.Manager
		}
		for _, field := range []string{"syncMode", "apiEndpoint", "secretRef", "proxyURL", "proxyHeader", "insecureSkipTLSVerification"} {
			if _, sets := owned.Spec["f:"+field]; sets {
				return m.Manager
			}
		}
	}
	return ""
}

// Owners returns the Refusal of a Cluster manifest for the conflicts with which the API server rejects an apply; nil if err
// has none.
func Owners(cluster string, causes []metav1.StatusCause) error {
	i := slices.IndexFunc(causes, func(c metav1.StatusCause) bool { return c.Type == metav1.CauseTypeFieldManagerConflict })
	if i < 0 {
		return nil
	}
	r := &Refusal{Cluster: cluster, Field: causes[i].Field, Owner: causes[i].Message}
	if _, err := fmt.Sscanf(causes[i].Message, "conflict with %q", &r.Owner); err != nil {
		r.Owner = causes[i].Message
	}
	if r.Field != "" && r.Field[0] == '.' {
		r.Field = r.Field[1:]
	}
	return r
}
