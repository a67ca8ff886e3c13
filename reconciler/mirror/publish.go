package mirror

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Figures say how much of a federation is mirrored.
type Figures struct {
	// Published objects are on the hub as they should be. Unserved ones are of kinds that the hub does not have, Left ones
	// are excluded, or somebody else's, and Failed ones were refused and are tried again.
	Published, Unserved, Left, Failed int
}

// Publish makes the templates of a federation what is mirrored of it: what differs is written, what is no longer wanted
// is removed, and all else costs nothing. When it returns, nothing on the hub claims any more to be done that was decided
// otherwise here. What cannot be written is tried again later, by Run; an error says that nothing was written.
func (m *Mirror) Publish(ctx context.Context, federation string, templates []Template) (Figures, error) {
	if err := m.open(ctx); err != nil {
		return Figures{}, err
	}
	ours, due := m.adopt(federation, templates)
	if err := m.follow(ctx); err != nil {
		return Figures{}, err
	}
	for _, step := range steps(due) {
		if err := m.settleAll(ctx, step); err != nil {
			return Figures{}, err
		}
	}
	m.tidy(ctx, due)
	return m.count(ours, len(templates)), nil
}

// adopt makes the templates what is wanted. It returns the entries of them, and those that have to be written or removed.
func (m *Mirror) adopt(federation string, templates []Template) (ours []*entry, due map[*entry]bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	due = map[*entry]bool{}
	wanted := map[*entry]bool{}
	for _, t := range templates {
		if Excluded(t.ID) != "" {
			continue
		}
		e := m.at(t.ID)
		if e.want != nil && e.owner != federation {
			continue // the first that has it keeps it
		}
		wanted[e] = true
		ours = append(ours, e)
		if decision := t.Decision(); e.want == nil || e.decision != decision {
			e.decision, e.replicas, e.why = decision, nil, ""
		}
		e.owner, e.want = federation, &t
		if gk := t.ID.GroupKind(); m.kinds[gk].Version == "" {
			m.kinds[gk] = t.GVK
		}
		if e.due() {
			due[e] = true
		}
	}
	for _, e := range m.entries {
		mine := e.owner == federation || e.want == nil && e.have != nil && e.have.owner == federation
		if mine && !wanted[e] {
			e.owner, e.want, e.asked, e.why = federation, nil, nil, ""
			if due[e] = e.due(); e.have == nil {
				delete(m.entries, e.id)
			}
		}
	}
	return ours, due
}

// follow watches all kinds that are wanted or were, and records them, before anything of a new one is written: after a
// restart, what is there has to be found again.
func (m *Mirror) follow(ctx context.Context) error {
	m.mu.Lock()
	kinds := make([]schema.GroupVersionKind, 0, len(m.kinds))
	for _, gvk := range m.kinds {
		kinds = append(kinds, gvk)
	}
	m.mu.Unlock()
	if len(kinds) == 0 {
		return nil
	}
	if err := m.record(ctx, kinds); err != nil {
		return err
	}
	m.watch.SetKinds(append(kinds, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}))
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	if err := m.watch.WaitForSync(ctx); err != nil {
		return fmt.Errorf("reading what is mirrored: %w", err)
	}
	return nil
}

// steps are the entries in the order in which they are written: what others need first, what is removed last.
func steps(due map[*entry]bool) [3][]*entry {
	var s [3][]*entry
	for _, e := range sorted(due) {
		switch {
		case !due[e]:
		case e.want == nil:
			s[2] = append(s[2], e)
		case e.first():
			s[0] = append(s[0], e)
		default:
			s[1] = append(s[1], e)
		}
	}
	return s
}

// settleAll has what cannot be written tried again later; an error is that of the context.
func (m *Mirror) settleAll(ctx context.Context, entries []*entry) error {
	var g errgroup.Group
	g.SetLimit(writers)
	for _, e := range entries {
		g.Go(func() error {
			if !m.settle(ctx, e) {
				m.queue.AddRateLimited(e.id)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

func (m *Mirror) count(ours []*entry, all int) Figures {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := Figures{Left: all - len(ours)}
	for _, e := range ours {
		switch {
		case e.have != nil && !e.due():
			f.Published++
		case e.unserved:
			f.Unserved++
		case e.why != "":
			f.Left++
		default:
			f.Failed++
		}
	}
	return f
}

// Forget removes all that is mirrored of a federation.
func (m *Mirror) Forget(ctx context.Context, federation string) error {
	_, err := m.Publish(ctx, federation, nil)
	return err
}

// Federations returns the Federations with mirrored objects, sorted. It returns an error if it cannot list them.
func (m *Mirror) Federations(ctx context.Context) ([]string, error) {
	if err := m.open(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []string
	for _, e := range m.entries {
		if e.have != nil && e.have.owner != "" {
			all = append(all, e.have.owner)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}
