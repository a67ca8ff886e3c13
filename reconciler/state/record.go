package state

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

// maxNamePart bounds how much of an object's name appears in the name of its FederatedObject; the hash after it makes
// the name unique.
const maxNamePart = 100

// ObjectName returns the name of the FederatedObject of id.
func ObjectName(federation string, id manifest.ID) string {
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

// meta returns the metadata of a record of the Federation.
func (f *Federation) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: f.key.Namespace, Name: name,
		Labels:          map[string]string{v1alpha1.FederationLabel: f.key.Name},
		OwnerReferences: f.owner(),
	}
}

// hasRecord reports whether the hub has a FederatedObject for a decision: for every object that a policy claims, and for
// those that are sent along with one. Others go nowhere, or are Namespaces that are only there for their objects.
func hasRecord(d *propagate.Decision) bool {
	return d.Policy != nil || slices.ContainsFunc(d.Chosen, func(c propagate.Choice) bool { return c.RequiredBy != nil })
}

// objectRecord returns the FederatedObject of one decision of the active plan. next is what the next plan has to know of
// this one; the process that makes it may have to read it from here.
func (f *Federation) objectRecord(d *propagate.Decision, next propagate.Previous) *v1alpha1.FederatedObject {
	o := &v1alpha1.FederatedObject{ObjectMeta: f.meta(ObjectName(f.key.Name, d.ID))}
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
		o.Spec.TemplateDigest = "" // the digest of a Secret is on the Secret and nowhere else
	}
	for _, c := range d.Chosen {
		w := f.clusters[c.Cluster].wants.of(d.ID).decided()
		w.digest = f.fingerprints.Object(d.ID, w.digest)
		o.Spec.Results = addResult(o.Spec.Results, c, w)
		o.Spec.RequiredBy = requiredBy(o.Spec.RequiredBy, c)
		if c.Held != "" {
			o.Spec.Held = append(o.Spec.Held, c.Cluster)
		}
	}
	if !equality.Semantic.DeepEqual(propagate.PreviousFrom(o.Spec).Clusters, next.Clusters) {
		o.Spec.PreviousPlacement = previousPlacement(next.Clusters)
	}
	return o
}

// previousPlacement groups the clusters of a decision by what they get, in a stable order.
func previousPlacement(clusters []propagate.PreviousCluster) []v1alpha1.PreviousResult {
	var all []v1alpha1.PreviousResult
	for _, c := range clusters {
		i := slices.IndexFunc(all, func(l v1alpha1.PreviousResult) bool {
			return ptr.Equal(l.Replicas, c.Replicas) && ptr.Equal(l.Completions, c.Completions) && l.Held == c.Held
		})
		if i < 0 {
			i = len(all)
			all = append(all, v1alpha1.PreviousResult{Replicas: c.Replicas, Completions: c.Completions, Held: c.Held})
		}
		all[i].Clusters = append(all[i].Clusters, c.Name)
	}
	return all
}

// requiredBy records why a cluster has an object that no policy of its own chose.
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

// addResult adds a cluster to the result that it shares with others, or to a new one. Clusters come sorted, so the
// result depends on the decision only.
func addResult(results []v1alpha1.Result, c propagate.Choice, w want) []v1alpha1.Result {
	i := slices.IndexFunc(results, func(v v1alpha1.Result) bool {
		return v.Digest == w.digest && v.Error == w.err && ptr.Equal(v.Replicas, c.Replicas) && ptr.Equal(v.Completions, c.Completions)
	})
	if i < 0 {
		i = len(results)
		results = append(results, v1alpha1.Result{Digest: w.digest, Error: w.err, Replicas: c.Replicas, Completions: c.Completions})
	}
	results[i].Clusters = append(results[i].Clusters, c.Cluster)
	return results
}

// newDelivery returns the Delivery of one cluster under the active plan.
func (f *Federation) newDelivery(cluster string) *v1alpha1.Delivery {
	d := &v1alpha1.Delivery{ObjectMeta: f.meta(f.key.Name + "-" + cluster)}
	d.Labels[v1alpha1.ClusterLabel] = cluster
	d.Spec = v1alpha1.DeliverySpec{
		Federation: f.key.Name, Cluster: cluster,
		Revision: f.active.revision, Digest: f.fingerprints.Cluster(f.active.plan, cluster),
	}
	return d
}
