package divide

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// Completions divides the completions of a divided Job in proportion to its parallelism (Karmada §4.9). It returns one count for each
// share; nil for other objects, and for a Job without completions or without replicas: its template stays as it is.
func Completions(gk schema.GroupKind, job *manifest.Packed, r Request, shares []Share) []int32 {
	if gk.Group != "batch" || gk.Kind != "Job" || r.Scheduling == nil || r.Scheduling.ReplicaSchedulingType != policy.Divided {
		return nil
	}
	written, _, _ := unstructured.NestedFieldNoCopy(job.Get().Object, "spec", "completions")
	completions, found := manifest.Count(written)
	if !found {
		return nil
	}
	parties := make([]Party, len(shares))
	voted := false
	for i, s := range shares {
		parties[i] = Party{Name: r.Candidates[i].Cluster.Name, Votes: int64(s.Replicas)}
		voted = voted || s.Replicas > 0
	}
	if !voted {
		return nil
	}
	return Webster(completions, parties, r.Seed)
}
