// Package record builds the parts of a FederatedObject from the decision about an object.
package record

import (
	"crypto/sha256"
	"fmt"
	"iter"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/reconciler/state/wanted"
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

// Has reports whether the hub has a FederatedObject for a decision: for every object that a policy claims, and for
// those that are sent along with one. Others go nowhere, or are Namespaces that are only there for their objects.
func Has(d *decision.Decision) bool {
	return d.Policy != nil || slices.ContainsFunc(d.Chosen, func(c decision.Choice) bool { return c.RequiredBy != nil })
}

// PreviousPlacement groups the clusters of a decision by their objects, in a stable order.
func PreviousPlacement(clusters []previous.Cluster) []v1alpha1.PreviousResult {
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

// RequiredBy records why a cluster has an object that no policy of its own chose.
func RequiredBy(all []v1alpha1.Requirement, c decision.Choice) []v1alpha1.Requirement {
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

// AddResult adds a cluster to the result that it shares with others, or to a new one. Clusters come sorted, so the
// result depends on the decision only.
func AddResult(results []v1alpha1.Result, c decision.Choice, w wanted.Object) []v1alpha1.Result {
	i := slices.IndexFunc(results, func(v v1alpha1.Result) bool {
		return v.Digest == w.Digest && v.Error == w.Err && ptr.Equal(v.Replicas, c.Replicas) && ptr.Equal(v.Completions, c.Completions)
	})
	if i < 0 {
		i = len(results)
		results = append(results, v1alpha1.Result{Digest: w.Digest, Error: w.Err, Replicas: c.Replicas, Completions: c.Completions})
	}
	results[i].Clusters = append(results[i].Clusters, c.Cluster)
	return results
}

// DecidesNext reports whether the next decision about an object depends on this one. Such a decision is written before
// it takes effect: a process that ends in between would decide differently.
func DecidesNext(d *decision.Decision) bool {
	if d.Policy == nil || d.Term != "" || d.Rebalanced != "" || d.PlacementRetained || d.Policy.Spec.ActivationPreference == policy.Lazy {
		return true
	}
	p := d.Policy.Spec.Placement
	return len(p.SpreadConstraints) > 0 || p.WorkloadAffinity != nil ||
		p.ReplicaScheduling != nil && p.ReplicaScheduling.ReplicaSchedulingType == policy.Divided
}

// Recorded iterates over the objects of an inventory. The value is set for those that their policy preserves when they are
// no longer wanted; whether a Namespace was adopted is not recorded.
func Recorded(inventory iter.Seq[manifest.ID], record func(manifest.ID) *v1alpha1.FederatedObject) iter.Seq2[manifest.ID, bool] {
	return func(yield func(manifest.ID, bool) bool) {
		for id := range inventory {
			if o := record(id); !yield(id, o != nil && o.Spec.Preserve) {
				return
			}
		}
	}
}

// FindingLine returns a finding in one line.
func FindingLine(f propagate.Finding) string {
	line := f.At.String() + ": " + f.Message
	if f.Fix != "" {
		line += " (" + f.Fix + ")"
	}
	return line
}
