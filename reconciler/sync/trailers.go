package sync

import (
	"slices"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/approval"
	"github.com/accord-dev/accord/source"
	"github.com/accord-dev/accord/source/trailer"
)

// The trailers of a commit count for the revision that brings the commit, and only if every source that this revision changes has
// them: the author of one source neither approves the change of another nor lifts its prune limits.

// AllowsPrune reports whether the commits lift the prune limits.
func (c Checkout) AllowsPrune() bool {
	return slices.Contains(c.trailers(v1alpha1.PruneTrailer), v1alpha1.PruneAllow)
}

// commits returns the commits of the changed sources, as far as an approval depends on them.
func (c Checkout) commits() approval.Commits {
	all := approval.Commits{Approves: approval.Digests(c.trailers(v1alpha1.ApprovePlanTrailer))}
	for i, s := range c.snapshots {
		if c.unchanged[c.sources[i].Name] || c.sources[i].Cluster != nil { // the changes of a live cluster have no authors
			continue
		}
		add := func(role string, people ...source.Identity) {
			for _, p := range people {
				all.Authors = append(all.Authors, approval.Person{Name: p.Name, Email: p.Email, Role: role, Commit: phrase.Revision("sha1:" + s.Commit)})
			}
		}
		add("author", s.By)
		add("committer", s.Committer)
		for _, written := range trailer.Values(s.Message, "Co-authored-by") {
			add("co-author", source.ParseIdentity(written))
		}
		for _, signer := range c.signers[c.sources[i].Name] {
			for _, n := range signer.Names {
				add("signer", source.Identity{Name: n.Name, Email: n.Email})
			}
		}
	}
	return all
}

// trailers returns the values of a trailer that every changed source has, in the order of the first; nil if no source changed.
func (c Checkout) trailers(key string) []string {
	var values []string
	first := true
	for i, s := range c.snapshots {
		if c.unchanged[c.sources[i].Name] {
			continue
		}
		found := trailer.Values(s.Message, key)
		if first {
			values, first = found, false
			continue
		}
		values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(found, v) })
	}
	return values
}

// since returns the checkout with the sources marked that have the commit of the active revision. If the checkout is that revision,
// its Release has the marks. With a single source each revision changes it.
func (c Checkout) since(releases []v1alpha1.Release, active string) Checkout {
	c.unchanged = nil
	if len(c.snapshots) < 2 || active == "" {
		return c
	}
	i := slices.IndexFunc(releases, func(r v1alpha1.Release) bool { return r.Spec.Revision == active })
	if i < 0 {
		return c
	}
	c.unchanged = map[string]bool{}
	for j, s := range c.snapshots {
		for _, was := range releases[i].Spec.Sources {
			if was.Name != c.sources[j].Name {
				continue
			}
			_, commit, err := source.ParseRevision(was.Revision)
			same := err == nil && commit == s.Commit || was.Revision == s.Revision
			c.unchanged[was.Name] = same && (c.Revision() != active || !was.Changed)
		}
	}
	return c
}

// sinceActive compares the checkout with the revision that is active; after a restart, with the recorded one.
func (c Checkout) sinceActive(f *state.Federation) Checkout {
	active, _ := f.ActiveRevision()
	if recorded, restarted := f.RecordedRevision(); restarted {
		active = recorded
	}
	_, releases := f.SourcesAt()
	return c.since(releases, active).timed(releases)
}

// timed returns the checkout with the times that its Release has for live clusters: after a restart, the first snapshot has none.
func (c Checkout) timed(releases []v1alpha1.Release) Checkout {
	i := slices.IndexFunc(releases, func(r v1alpha1.Release) bool { return r.Spec.Revision == c.Revision() })
	if i < 0 || releases[i].Spec.CommittedAt == nil {
		return c
	}
	c.snapshots = slices.Clone(c.snapshots)
	for j, s := range c.sources {
		if s.Cluster != nil && c.snapshots[j].Time.IsZero() {
			c.snapshots[j].Time = releases[i].Spec.CommittedAt.Time
		}
	}
	return c
}
