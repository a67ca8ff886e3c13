package diff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
)

// group finds what changes alike. Objects of one kind are one change if most of their clusters have the same done to
// them; where others of their clusters have something else done, that is another variant. What comes or goes has no
// hunks to be like, and is one change if it comes to or leaves the same clusters.
func group(objects []*object) []Change {
	groups := map[string][]*object{}
	for _, o := range objects {
		if len(o.spans) > 0 {
			key := o.likeness()
			groups[key] = append(groups[key], o)
		}
	}
	changes := make([]Change, 0, len(groups))
	for _, alike := range groups {
		changes = append(changes, change(alike))
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.places(), a.places()), a.Objects[0].Compare(b.Objects[0].ID))
	})
	return changes
}

// likeness is the same for objects of one change.
func (o *object) likeness() string {
	main := o.spans[0]
	key := o.id.Group + "\x00" + o.id.Kind + "\x00" + main.key()
	if main.hunks == nil {
		for _, s := range o.spans {
			key += "\x00" + s.key() + "\x00" + strings.Join(s.clusters, " ")
		}
	}
	return key
}

// change is one change of objects that are alike, given by ID.
func change(objects []*object) Change {
	var c Change
	drafts := map[string]*draft{}
	for _, o := range objects {
		c.Objects = append(c.Objects, Object{o.id, o.at()})
		for _, s := range o.spans {
			if drafts[s.key()] == nil {
				drafts[s.key()] = newDraft(s)
			}
			drafts[s.key()].add(o.id, s)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(drafts)) {
		c.Variants = append(c.Variants, drafts[key].variant(len(objects)))
	}
	slices.SortStableFunc(c.Variants, func(a, b Variant) int {
		return cmp.Or(cmp.Compare(b.Places, a.Places), slices.Compare(a.Clusters, b.Clusters))
	})
	return c
}

func (c Change) places() int {
	n := 0
	for _, v := range c.Variants {
		n += v.Places
	}
	return n
}

// draft is a variant on its way.
type draft struct {
	made     Variant
	reasons  map[string]bool
	clusters map[string]bool
	objects  []manifest.ID
}

func newDraft(s *span) *draft {
	d := &draft{reasons: map[string]bool{}, clusters: map[string]bool{}}
	d.made = Variant{Verb: s.verb, Immutable: s.immutable, Restarts: s.restarts}
	if s.hunks != nil {
		d.made.Hunks = s.hunks.list
	}
	return d
}

func (d *draft) add(id manifest.ID, s *span) {
	if len(d.objects) == 0 || d.objects[len(d.objects)-1] != id { // spans of an object can differ in why they are held alone
		d.objects = append(d.objects, id)
	}
	if s.why != "" {
		d.reasons[s.why] = true
	}
	for _, name := range s.clusters {
		d.clusters[name] = true
	}
	d.made.Places += len(s.clusters)
	d.made.RestartedPods += total(s.pods)
}

// variant is the finished one; of is the number of objects of the change.
func (d *draft) variant(of int) Variant {
	v := d.made
	v.Why = several(slices.Sorted(maps.Keys(d.reasons)))
	v.Clusters = slices.Sorted(maps.Keys(d.clusters))
	if len(d.objects) < of {
		v.Objects = d.objects
	}
	return v
}

func total(numbers []int) int {
	sum := 0
	for _, n := range numbers {
		sum += n
	}
	return sum
}
