package diff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
)

// groupChanges merges equal changes. Objects of one kind form one change if the outcome on most of their clusters is
// equal; other outcomes become further variants. Objects that are created or deleted have no hunks to compare: they
// form one change if their clusters are the same.
func groupChanges(objects []*object) []Change {
	groups := map[string][]*object{}
	for _, o := range objects {
		if len(o.outcomes) > 0 {
			key := o.changeKey()
			groups[key] = append(groups[key], o)
		}
	}
	changes := make([]Change, 0, len(groups))
	for _, alike := range groups {
		changes = append(changes, newChange(alike))
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.places(), a.places()), a.Objects[0].Compare(b.Objects[0].ID))
	})
	return changes
}

// changeKey returns equal keys for objects of one change.
func (o *object) changeKey() string {
	main := o.outcomes[0]
	key := o.id.Group + "\x00" + o.id.Kind + "\x00" + main.groupKey()
	if main.hunks == nil {
		for _, s := range o.outcomes {
			key += "\x00" + s.groupKey() + "\x00" + strings.Join(s.clusters, " ")
		}
	}
	return key
}

// newChange returns the change of objects with one key, which are sorted by ID.
func newChange(objects []*object) Change {
	var c Change
	drafts := map[string]*variantBuilder{}
	for _, o := range objects {
		c.Objects = append(c.Objects, Object{o.id, o.at()})
		for _, s := range o.outcomes {
			if drafts[s.groupKey()] == nil {
				drafts[s.groupKey()] = newVariantBuilder(s)
			}
			drafts[s.groupKey()].add(o.id, s)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(drafts)) {
		c.Variants = append(c.Variants, drafts[key].build(len(objects)))
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

// variantBuilder collects one variant of a change.
type variantBuilder struct {
	variant  Variant
	reasons  map[string]bool
	clusters map[string]bool
	objects  []manifest.ID
}

func newVariantBuilder(s *outcome) *variantBuilder {
	d := &variantBuilder{reasons: map[string]bool{}, clusters: map[string]bool{}}
	d.variant = Variant{Action: s.action, Immutable: s.immutable, Restarts: s.restarts}
	if s.hunks != nil {
		d.variant.Hunks = s.hunks.list
	}
	return d
}

func (d *variantBuilder) add(id manifest.ID, s *outcome) {
	if len(d.objects) == 0 || d.objects[len(d.objects)-1] != id { // two outcomes of an object can differ in their message only
		d.objects = append(d.objects, id)
	}
	if s.message != "" {
		d.reasons[s.message] = true
	}
	for _, name := range s.clusters {
		d.clusters[name] = true
	}
	d.variant.Places += len(s.clusters)
	d.variant.RestartedPods += total(s.pods)
}

// build returns the variant; total is the number of objects of the change.
func (d *variantBuilder) build(total int) Variant {
	v := d.variant
	v.Message = joinReasons(slices.Sorted(maps.Keys(d.reasons)))
	v.Clusters = slices.Sorted(maps.Keys(d.clusters))
	if len(d.objects) < total {
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
