package mirror

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
)

// Figures count the objects of a Federation by the state of their mirror.
type Figures struct {
	// Published objects are on the hub as wanted. The hub does not serve the kinds of Unserved objects. Skipped objects are
	// excluded or belong to somebody else. Failed objects were refused, and Run retries them.
	Published, Unserved, Skipped, Failed int
	// Taken are objects that are mirrored for another Federation, with that Federation. Skipped counts them.
	Taken map[manifest.ID]string
}

// problem names an object that is mirrored for another Federation; empty if there is none.
func (f Figures) problem() string {
	if len(f.Taken) == 0 {
		return ""
	}
	ids := slices.SortedFunc(maps.Keys(f.Taken), manifest.ID.Compare)
	return fmt.Sprintf("%s %s not mirrored, because Federation %s has the same: %s. The status on the hub is that of the other Federation; "+
		"use another name or namespace, or set spec.mirror: false in one of them",
		phrase.Count(len(ids), "object"), phrase.Plural(len(ids), "is", "are"), f.Taken[ids[0]], phrase.First(names(ids), takenNames))
}

// takenNames bounds the objects that a problem names.
const takenNames = 3

func names(ids []manifest.ID) []string {
	var all []string
	for _, id := range ids {
		all = append(all, id.String())
	}
	return all
}

// Publish makes the templates of a Federation its mirrored objects: it writes objects that differ, removes objects that are not
// wanted any more, and sends nothing for all others. When it returns, no status on the hub reads as if a newer decision were
// carried out. Run retries failed writes; an error means that Publish wrote nothing, or that ctx ended.
func (m *Mirror) Publish(ctx context.Context, federation string, templates []Template) (Figures, error) {
	if err := m.open(ctx); err != nil {
		return Figures{}, err
	}
	work := m.entries.adopt(federation, templates)
	if err := m.watchKinds(ctx); err != nil {
		return Figures{}, err
	}
	for _, step := range work.steps {
		if err := m.syncAll(ctx, step); err != nil {
			return Figures{}, err
		}
	}
	m.removeEmptyNamespaces(ctx, work.namespaces)
	figures := m.entries.count(work.mine, len(templates))
	figures.Taken = work.taken
	return figures, nil
}

// syncAll writes or removes objects concurrently, and queues failed ones for a retry. An error is that of ctx.
func (m *Mirror) syncAll(ctx context.Context, step []*entry) error {
	var g errgroup.Group
	g.SetLimit(writersPerPublish)
	for _, e := range step {
		g.Go(func() error {
			if m.sync(ctx, e) != nil {
				m.queue.AddRateLimited(e.id)
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// Forget removes all mirrored objects of a Federation.
func (m *Mirror) Forget(ctx context.Context, federation string) error {
	_, err := m.Publish(ctx, federation, nil)
	return err
}

// Federations returns the Federations with mirrored objects, sorted. It returns an error if it cannot list them.
func (m *Mirror) Federations(ctx context.Context) ([]string, error) {
	if err := m.open(ctx); err != nil {
		return nil, err
	}
	return m.entries.owners(), nil
}
