package apply

import "context"

// applyUrgent applies what a person changed just now before all else, as far as it needs no look around: what is there, is ours
// and stands in the inventory. So one change does not wait for the thousands that were under way. Definitions and
// namespaces among them go before the others, in their own time.
func (d *delivery) applyUrgent(ctx context.Context) error {
	var first []*task
	for _, t := range d.tasks {
		if !d.options.Urgent[t.ID] {
			continue
		}
		if gk := t.ID.GroupKind(); gk == crdKind || gk == namespaceKind {
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
