package reconciler

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

// maxNamePart is how much of an object's own name appears in the name of its FederatedObject; the hash after it makes
// the name unique however long the object's name is.
const maxNamePart = 100

// objectName names the FederatedObject of id: readable first, unique always.
func objectName(federation string, id manifest.ID) string {
	hash := sha256.Sum256([]byte(id.Entry()))
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(id.Kind+"-"+id.Name))
	readable = strings.TrimRight(readable[:min(len(readable), maxNamePart)], "-")
	return fmt.Sprintf("%s-%s-%x", federation, readable, hash[:5])
}

// meta is the metadata of a record of this federation.
func (f *federation) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: f.key.Namespace, Name: name,
		Labels:          map[string]string{v1alpha1.FederationLabel: f.key.Name},
		OwnerReferences: f.owner(),
	}
}

// recordedDecision says whether the hub has a FederatedObject of a decision: of every object that a policy claims, and of
// those that are sent along with one. Others go nowhere, or are Namespaces that are only there for their objects.
func recordedDecision(d *propagate.Decision) bool {
	return d.Policy != nil || slices.ContainsFunc(d.Chosen, func(c propagate.Choice) bool { return c.RequiredBy != nil })
}

// recordObject is the FederatedObject of one decision of the plan in force. next is what the plan after it has to know of
// this one, which the process that makes it may have to read from here.
func (f *federation) recordObject(d *propagate.Decision, next propagate.Previous) *v1alpha1.FederatedObject {
	o := &v1alpha1.FederatedObject{ObjectMeta: f.meta(objectName(f.key.Name, d.ID))}
	o.Spec = v1alpha1.FederatedObjectSpec{
		Federation: f.key.Name,
		Template: v1alpha1.TemplateRef{
			APIVersion: d.GVK.GroupVersion().String(), Kind: d.ID.Kind,
			Namespace: d.ID.Namespace, Name: d.ID.Name, Origin: d.Origin.Path,
		},
		Message: d.Why, PlacementRetained: d.PlacementRetained,
		TemplateDigest: next.Template, Affinity: next.Term, LastRebalancer: next.Rebalanced,
		Overwrite: next.Overwrite, Preserve: next.Preserve, Dependencies: next.Dependencies,
	}
	if d.Policy != nil {
		o.Spec.Policy = d.Policy.String()
	}
	if d.ID.IsSecret() {
		o.Spec.TemplateDigest = "" // the digest of a Secret stands on it and nowhere else
	}
	for _, c := range d.Chosen {
		w := f.legs[c.Cluster].wants.of(d.ID).decided()
		w.digest = f.fingerprints.Object(d.ID, w.digest)
		o.Spec.Results = addTo(o.Spec.Results, c, w)
		o.Spec.RequiredBy = requiredBy(o.Spec.RequiredBy, c)
		if c.Held != "" {
			o.Spec.Held = append(o.Spec.Held, c.Cluster)
		}
	}
	if !equality.Semantic.DeepEqual(propagate.PreviousFrom(o.Spec).Clusters, next.Clusters) {
		o.Spec.PreviousPlacement = lastChoices(next.Clusters)
	}
	return o
}

// requiredBy notes why a cluster has the object that no policy of its own chose.
func requiredBy(all []v1alpha1.Requirement, c propagate.Choice) []v1alpha1.Requirement {
	by := ""
	switch {
	case c.RequiredBy != nil:
		by = c.RequiredBy.String()
	case !c.Implied:
		return all
	}
	i := slices.IndexFunc(all, func(r v1alpha1.Requirement) bool { return r.Object == by })
	if i < 0 {
		i = len(all)
		all = append(all, v1alpha1.Requirement{Object: by})
	}
	all[i].Clusters = append(all[i].Clusters, c.Cluster)
	return all
}

// addTo puts a cluster into the variant that it shares with others, or opens a new one. Clusters come sorted, so the
// result does not depend on anything but the decision.
func addTo(variants []v1alpha1.Result, c propagate.Choice, w want) []v1alpha1.Result {
	i := slices.IndexFunc(variants, func(v v1alpha1.Result) bool {
		return v.Digest == w.digest && v.Error == w.err && ptr.Equal(v.Replicas, c.Replicas) && ptr.Equal(v.Completions, c.Completions)
	})
	if i < 0 {
		i = len(variants)
		variants = append(variants, v1alpha1.Result{Digest: w.digest, Error: w.err, Replicas: c.Replicas, Completions: c.Completions})
	}
	variants[i].Clusters = append(variants[i].Clusters, c.Cluster)
	return variants
}

// recordDelivery is the Delivery of one cluster under the plan in force.
func (f *federation) recordDelivery(cluster string) *v1alpha1.Delivery {
	d := &v1alpha1.Delivery{ObjectMeta: f.meta(f.key.Name + "-" + cluster)}
	d.Labels[v1alpha1.ClusterLabel] = cluster
	d.Spec = v1alpha1.DeliverySpec{
		Federation: f.key.Name, Cluster: cluster,
		Revision: f.revision, Digest: f.fingerprints.Cluster(f.plan, cluster),
	}
	return d
}
