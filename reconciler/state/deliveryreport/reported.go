// Package deliveryreport converts the state of a Delivery to a DeliveryReport, by which replicas report to the leader.
package deliveryreport

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/rolloutrecord"
	"github.com/accord-dev/accord/reconciler/state/wanted"
	"github.com/accord-dev/accord/status"
)

// AssignmentID identifies the assignment of a Delivery: the same writes execute two assignments with the same ID. The
// generation is part of it, so that the result of an assignment is never taken for that of a later, equal one.
func AssignmentID(d *v1alpha1.Delivery) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %s %s\n", d.UID, d.Generation, d.Spec.Revision, d.Spec.Digest)
	for _, r := range d.Status.Rollouts {
		fmt.Fprintf(h, "%q %q %d %v %t %t\n", r.Policy, r.Current.Digest, rolloutrecord.Time(r.UpdatedAt).UnixMicro(), r.RollbackTo, r.Held, r.Keeps)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

func ReportedObject(id manifest.ID, w wanted.Object, seen live.Object, r status.Report, gateStatus map[string]any, mutated []v1alpha1.MutatedField) v1alpha1.ReportedObject {
	o := v1alpha1.ReportedObject{
		Version: seen.GVK.Version, Digest: seen.Digest, Generation: r.Generation, ObservedGeneration: r.ObservedGeneration, Observes: r.Observes,
		Health: string(r.Health), Message: r.Message, Unschedulable: r.Unschedulable, Status: rawOf(r.Status.Map()), Answers: rawOf(gateStatus),
		Labels: seen.Labels, Preserve: seen.Preserve, Adopted: seen.Adopted, Foreign: seen.IsStranger(), Mutated: mutated,
	}
	if id.IsSecret() {
		o.Digest = ""
		if seen.Digest == w.Digest {
			o.Digest = v1alpha1.DigestWanted
		}
	}
	return o
}

// rawOf returns nil for nil.
func rawOf(m map[string]any) *apiextensionsv1.JSON {
	if m == nil {
		return nil
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return nil // it was read from JSON
	}
	return &apiextensionsv1.JSON{Raw: raw}
}

// MapOf returns nil for nil.
func MapOf(raw *apiextensionsv1.JSON) map[string]any {
	if raw == nil {
		return nil
	}
	var m map[string]any
	if json.Unmarshal(raw.Raw, &m) != nil {
		return nil // the hub has validated that it is an object
	}
	return m
}
