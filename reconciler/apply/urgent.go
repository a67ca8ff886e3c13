package apply

import (
	"context"

	"github.com/accord-dev/accord/api/manifest"
)

// applyUrgent applies the urgent objects first, if they are known, owned and in the inventory, so that one change
// does not wait for a bulk. If definitions or namespaces are among them, all wait for their regular turn.
func (d *delivery) applyUrgent(ctx context.Context) error {
	var first []*task
	for _, t := range d.tasks {
		if !d.options.Urgent[t.ID] {
			continue
		}
		if gk := t.ID.GroupKind(); gk == manifest.DefinitionKind || gk == namespaceKind {
			return nil
		}
		if t.exists && !t.unseen && d.previous.Has(t.ID) {
			first = append(first, t)
		}
	}
	return each(ctx, d.options.Workers, first, func(ctx context.Context, t *task) error {
		t.done = true
		return d.apply(ctx, t)
	})
}
