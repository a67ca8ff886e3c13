package apply

import (
	"context"

	"github.com/accord-dev/accord/api/manifest"
)

// applyUrgent applies the urgent objects first, if they are known, owned and in the inventory, so that one change
// does not wait for a bulk, which is not even compared before. If definitions or namespaces are among them, all wait for their regular turn.
func (d *delivery) applyUrgent(ctx context.Context) error {
	if len(d.options.Urgent) == 0 {
		return nil
	}
	var first []*task
	for _, p := range d.difference.Due {
		if !d.options.Urgent[p.ID] {
			continue
		}
		if gk := p.ID.GroupKind(); gk == manifest.DefinitionKind || gk == namespaceKind {
			return nil
		}
		if t := d.taskFor(p); t != nil && t.exists && !t.unseen && d.previous.Has(t.ID) {
			first = append(first, t)
		}
	}
	d.tasks = first
	return each(ctx, d.options.Workers, first, func(ctx context.Context, t *task) error {
		t.done = true
		return d.apply(ctx, t)
	})
}
