package diff

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

var (
	definitionKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
	namespaceKind  = schema.GroupKind{Kind: "Namespace"}
	claimKind      = schema.GroupKind{Kind: "PersistentVolumeClaim"}
)

// precious are kinds with which goes what no commit brings back; each has an effect of its own.
func precious(kind schema.GroupKind) bool {
	return kind == definitionKind || kind == namespaceKind || kind == claimKind
}

// deleted is one effect for every object of a kind that is deleted; more says what goes with it.
func (c *comparison) deleted(kind schema.GroupKind, more func(id manifest.ID, clusters map[string]bool) string) []Effect {
	return c.gather(Delete, func(o *object, _ *span) (string, bool) {
		return o.id.String(), o.id.GroupKind() == kind
	}).effects(func(_ string, e *Effect, of *gathered) {
		e.Message = fmt.Sprintf("%s is deleted from %s: %s", of.first.id, where(e.Clusters), more(of.first.id, of.clusters))
	})
}

// placed counts the objects on clusters, before.
func (c *comparison) placed(clusters map[string]bool, wanted func(manifest.ID) bool) int {
	n := 0
	for i := range c.before.Plan.Decisions {
		d := &c.before.Plan.Decisions[i]
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

func ours(n int) string {
	if n == 0 {
		return "none of them from Git"
	}
	return fmt.Sprintf("%d of them from Git", n)
}
