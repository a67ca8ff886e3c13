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
func AssignmentID(d *v1alpha1.Delivery) string { return numbered(d, uint64(d.Generation)) }

// Pulled is the assignment that the agent of a cluster got last. The zero Pulled is none.
type Pulled struct {
	// ID identifies it: the agent reports it with its results.
	ID string
	// wants identifies the Delivery that it was made of.
	wants string
}

// Next returns the assignment that an index with a sequence has. It is p until the Delivery wants something else. The sequence, which
// grows from leader to leader, takes the place of the generation: an agent need not wait until the hub has the Delivery.
func (p Pulled) Next(d *v1alpha1.Delivery, sequence uint64) Pulled {
	if wants := numbered(d, 0); wants != p.wants {
		return Pulled{ID: numbered(d, sequence), wants: wants}
	}
	return p
}

// Is reports whether a report about an assignment is about p, and whether p is what the Delivery wants.
func (p Pulled) Is(d *v1alpha1.Delivery, reported string) bool {
	return p.ID != "" && reported == p.ID && p.wants == numbered(d, 0)
}

// numbered identifies an assignment with a number that makes it another one than an earlier, equal one.
func numbered(d *v1alpha1.Delivery, number uint64) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %s %s %s\n", d.UID, number, d.Spec.Revision, d.Spec.Digest, d.Spec.ControlDigest)
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
