package request

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/accord-dev/accord/api/registration"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Traits describe a cluster that registers, by its own account.
type Traits struct {
	// ID is the UID of its namespace kube-system; empty if it is unknown.
	ID               string
	Region, Provider string
	Zones            []string
}

// TraitsOf returns the traits in the annotations of a request.
func TraitsOf(annotations map[string]string) Traits {
	t := Traits{
		ID: annotations[registration.ClusterIDAnnotation], Region: annotations[registration.ClusterRegionAnnotation],
		Provider: annotations[registration.ClusterProviderAnnotation],
	}
	if zones := annotations[registration.ClusterZonesAnnotation]; zones != "" {
		t.Zones = strings.Split(zones, ",")
	}
	return t
}

// Annotations returns the annotations of a request with the traits.
func (t Traits) Annotations() map[string]string {
	of := map[string]string{}
	for name, value := range map[string]string{
		registration.ClusterIDAnnotation: t.ID, registration.ClusterRegionAnnotation: t.Region, registration.ClusterProviderAnnotation: t.Provider,
		registration.ClusterZonesAnnotation: strings.Join(t.Zones, ","),
	} {
		if value != "" {
			of[name] = value
		}
	}
	return of
}

// Spec returns the spec of the Cluster that the hub creates.
func (t Traits) Spec() v1alpha1.ClusterSpec {
	return v1alpha1.ClusterSpec{SyncMode: v1alpha1.SyncModePull, ID: t.ID, Region: t.Region, Provider: t.Provider, Zones: t.Zones}
}

func (t Traits) check() error {
	for _, value := range append([]string{t.ID, t.Region, t.Provider}, t.Zones...) {
		if wrong := validation.IsValidLabelValue(value); len(wrong) > 0 {
			return fmt.Errorf("the cluster describes itself by %q: %s", value, strings.Join(wrong, "; "))
		}
	}
	return nil
}
