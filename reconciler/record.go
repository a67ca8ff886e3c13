package reconciler

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

// templateID is the object that a FederatedObject is about.
func templateID(t v1alpha1.TemplateRef) manifest.ID {
	gv, _ := schema.ParseGroupVersion(t.APIVersion) // written by record, so it parses
	return manifest.ID{Group: gv.Group, Kind: t.Kind, Namespace: t.Namespace, Name: t.Name}
}

// meta is the metadata of a record of this federation.
func (f *federation) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: f.key.Namespace, Name: name,
		Labels:          map[string]string{v1alpha1.FederationLabel: f.key.Name},
		OwnerReferences: f.owner(),
	}
}

// recordObject is the FederatedObject of one decision of the plan in force.
func (f *federation) recordObject(d propagate.Decision) *v1alpha1.FederatedObject {
	o := &v1alpha1.FederatedObject{ObjectMeta: f.meta(objectName(f.key.Name, d.ID))}
	o.Spec = v1alpha1.FederatedObjectSpec{
		Federation: f.key.Name,
		Template: v1alpha1.TemplateRef{
			APIVersion: d.GVK.GroupVersion().String(), Kind: d.ID.Kind,
			Namespace: d.ID.Namespace, Name: d.ID.Name, Origin: d.Origin.Path,
		},
		Policy: d.Policy.String(),
		Why:    d.Why,
	}
	for _, c := range d.Chosen {
		w := f.legs[c.Cluster].wants[d.ID]
		o.Spec.Variants = addTo(o.Spec.Variants, c, w)
		if c.Held != "" {
			o.Spec.Held = append(o.Spec.Held, c.Cluster)
		}
	}
	return o
}

// addTo puts a cluster into the variant that it shares with others, or opens a new one. Clusters come sorted, so the
// result does not depend on anything but the decision.
func addTo(variants []v1alpha1.Variant, c propagate.Choice, w want) []v1alpha1.Variant {
	i := slices.IndexFunc(variants, func(v v1alpha1.Variant) bool {
		return v.Digest == w.digest && v.Error == w.err && equal(v.Replicas, c.Replicas)
	})
	if i < 0 {
		i = len(variants)
		variants = append(variants, v1alpha1.Variant{Digest: w.digest, Error: w.err, Replicas: c.Replicas})
	}
	variants[i].Clusters = append(variants[i].Clusters, c.Cluster)
	return variants
}

func equal(a, b *int32) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// recordDelivery is the Delivery of one cluster under the plan in force.
func (f *federation) recordDelivery(cluster string) *v1alpha1.Delivery {
	d := &v1alpha1.Delivery{ObjectMeta: f.meta(f.key.Name + "-" + cluster)}
	d.Labels[v1alpha1.ClusterLabel] = cluster
	d.Spec = v1alpha1.DeliverySpec{
		Federation: f.key.Name, Cluster: cluster,
		Revision: f.revision, Digest: f.plan.TargetDigest(cluster),
	}
	return d
}
