package diff

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

var (
	namespaceKind = schema.GroupKind{Kind: "Namespace"}
	pvcKind       = schema.GroupKind{Kind: "PersistentVolumeClaim"}
)

// deletionCascades reports whether a deletion of the kind also removes objects or data that no commit restores. Each
// such kind has an effect of its own.
func deletionCascades(kind schema.GroupKind) bool {
	return kind == manifest.DefinitionKind || kind == namespaceKind || kind == pvcKind
}

// cascadingDeletes returns one effect for every deleted object of a kind; consequence returns the second half of its
// message.
func (c *comparison) cascadingDeletes(kind schema.GroupKind, consequence func(id manifest.ID, clusters map[string]bool) string) []Effect {
	return c.groupOutcomes(Delete, func(o *object, _ *outcome) (string, bool) {
		return o.id.String(), o.id.GroupKind() == kind
	}).effects(func(_ string, e *Effect, of *effectGroup) {
		e.Message = fmt.Sprintf("%s is deleted from %s: %s", of.first.id, describeClusters(e.Clusters), consequence(of.first.id, of.clusters))
	})
}

// placed returns how many wanted objects the clusters had before.
func (c *comparison) placed(clusters map[string]bool, wanted func(manifest.ID) bool) int {
	n := 0
	for _, d := range c.before.Plan.Decisions {
		if !wanted(d.ID) {
			continue
		}
		for _, choice := range d.Chosen {
			if clusters[choice.Cluster] {
				n++
			}
		}
	}
	return n
}

func ofThoseInGit(n int) string {
	if n == 0 {
		return "none of them from Git"
	}
	return fmt.Sprintf("%d of them from Git", n)
}
