package propagate

import (
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/autoscaler"
)

// scaled returns the objects that a HorizontalPodAutoscaler in Git scales: their replicas belong to it.
func scaled(items []*item) map[manifest.ID]bool {
	targets := map[manifest.ID]bool{}
	for _, it := range items {
		if autoscaler.Is(it.decision.ID) {
			targets[autoscaler.Target(it.decision.ID, it.manifest.Get())] = true
		}
	}
	return targets
}

// yields returns the fields of an object that belong to the member once another field manager has set them; see
// kind.Kind.
func (p *Plan) yields(it *item) []string {
	if it.kind.Replicas == nil || !it.facts.retained && !p.relations.scaled[it.decision.ID] {
		return it.kind.Yields
	}
	return append(slices.Clone(it.kind.Yields), autoscaler.ReplicasPath)
}
