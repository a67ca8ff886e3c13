package state

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/reconciler/state/hubobjects"
	"github.com/accord-dev/accord/reconciler/state/record"
)

// meta returns the metadata of a record of the Federation.
func (f *Federation) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: f.key.Namespace, Name: name,
		Labels:          map[string]string{v1alpha1.FederationLabel: f.key.Name},
		OwnerReferences: f.owner(),
	}
}

// objectRecord returns the FederatedObject of one decision of the active plan. next has the decisions that the next plan
// depends on; the process that makes that plan may have to read them from here.
func (f *Federation) objectRecord(d *decision.Decision, next *previous.Decision) *v1alpha1.FederatedObject {
	o := &v1alpha1.FederatedObject{ObjectMeta: f.meta(record.ObjectName(f.key.Name, d.ID))}
	o.Spec = v1alpha1.FederatedObjectSpec{
		Federation: f.key.Name,
		Template: v1alpha1.TemplateRef{
			APIVersion: d.GVK.GroupVersion().String(), Kind: d.ID.Kind,
			Namespace: d.ID.Namespace, Name: d.ID.Name, Origin: d.Origin.Path,
		},
		Message: d.Why, PlacementRetained: d.PlacementRetained,
		TemplateDigest: next.Template, Affinity: next.Term, LastRebalancer: next.Rebalanced, LastDescheduled: next.Descheduled.Moves,
		DescheduledFrom: next.Descheduled.From,
		Overwrite:       next.Overwrite, Preserve: next.Preserve, Dependencies: next.Dependencies,
	}
	o.Spec.GracefulEvictionTasks = f.records.objects.Evictions(d.ID)
	hubobjects.SetPlanned(&o.Spec, d.Evictions)
	if d.Policy != nil {
		o.Spec.Policy = d.Policy.String()
	}
	if d.ID.IsSecret() {
		o.Spec.TemplateDigest = "" // the digest of a Secret is on the Secret and nowhere else
	}
	for _, c := range d.Chosen {
		w := f.clusters[c.Cluster].Wants.Of(d.ID).Decided()
		w.Digest = f.fingerprints.Object(d.ID, w.Digest)
		o.Spec.Results = record.AddResult(o.Spec.Results, c, w)
		o.Spec.RequiredBy = record.RequiredBy(o.Spec.RequiredBy, c)
		if c.Held != "" {
			o.Spec.Held = append(o.Spec.Held, c.Cluster)
		}
	}
	if !equality.Semantic.DeepEqual(previous.From(o.Spec).Clusters, next.Clusters) {
		o.Spec.PreviousPlacement = record.PreviousPlacement(next.Clusters)
	}
	return o
}

// newDelivery returns the Delivery of one cluster under the active plan.
func (f *Federation) newDelivery(cluster string) *v1alpha1.Delivery {
	d := &v1alpha1.Delivery{ObjectMeta: f.meta(f.key.Name + "-" + cluster)}
	d.Labels[v1alpha1.ClusterLabel] = cluster
	d.Spec = v1alpha1.DeliverySpec{
		Federation: f.key.Name, Cluster: cluster,
		Revision: f.active.revision, Digest: f.fingerprints.Cluster(f.active.plan, cluster), ControlDigest: f.active.plan.Control(),
	}
	return d
}
