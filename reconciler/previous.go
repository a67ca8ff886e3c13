package reconciler

import (
	"slices"

	"k8s.io/utils/ptr"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

// previous is what was decided the last time: by the plan in force or, after a restart, by the process before this one.
func (f *federation) previous() []propagate.Previous {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan != nil {
		return f.withFinds(f.plan.Previous())
	}
	all := make([]propagate.Previous, 0, len(f.objects))
	for _, o := range f.objects {
		all = append(all, propagate.PreviousFrom(o.Spec))
	}
	return f.withFinds(all)
}

// lastChoices are the clusters of a decision grouped by what they get, in a stable order.
func lastChoices(clusters []propagate.PreviousCluster) []v1alpha1.PreviousResult {
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
