package diff

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/concurrent"
	"github.com/accord-dev/accord/propagate/digest"
)

// Compare returns the changes when after replaces before. With a nil Plan in before everything is new. Compare walks
// both plans object by object and keeps only the rendered objects that it is comparing in memory. It returns an error
// if a plan is missing or if the empty plan cannot be made; mistakes in manifests are findings.
func Compare(before, after Side, o Options) (*Report, error) {
	if after.Plan == nil {
		return nil, errors.New("comparing plans: the plan after the change is missing")
	}
	r := &Report{Before: Version{Revision: before.Input.Revision}, After: Version{Revision: after.Input.Revision}}
	nothing := before.Plan == nil
	if nothing {
		empty, err := propagate.New(propagate.Input{Federation: after.Input.Federation, Fleet: after.Input.Fleet})
		if err != nil {
			return nil, fmt.Errorf("comparing with nothing: %w", err)
		}
		before.Plan = empty
	}
	c := newComparison(before, after, o)
	c.compareObjects()
	r.After.Digest = after.Plan.DigestOf(c.sumAfter)
	if !nothing {
		r.Before.Digest = before.Plan.DigestOf(c.sumBefore)
	}
	r.Clusters, r.Totals = c.count()
	r.Unchanged = r.Totals.Fleet - len(r.Clusters)
	r.Changes = groupChanges(c.objects)
	r.Policies = c.files.policies()
	r.Controls = controlChanges(before.Input, after.Input, o.Key)
	r.Effects = c.effects()
	r.Findings = c.findings()
	return r, nil
}

// comparison holds two plans and the differences found in each of their objects.
type comparison struct {
	before, after Side
	options       Options
	pair          *propagate.PlanPair
	known         func(manifest.ID) (*propagate.ObjectPlan, bool) // an object that does not change
	joins, leaves map[string]bool                                 // names of clusters
	files         *files

	ids     []manifest.ID // of both plans, sorted
	index   map[manifest.ID]int
	sums    [2][]digest.Sum // before and after, by index
	objects []*object       // with a difference, by ID
	hunks   hunkSet

	checkOutcomes [2]check.Outcomes // before and after
}

func newComparison(before, after Side, o Options) *comparison {
	c := &comparison{
		before: before, after: after, options: o, pair: before.Plan.PairWith(after.Plan), known: after.Plan.Remembering(o.Memo),
		joins: absentFrom(after.Plan.Clusters(), before.Plan.Clusters()), leaves: absentFrom(before.Plan.Clusters(), after.Plan.Clusters()),
		files: newFiles(before.Input, after.Input), index: map[manifest.ID]int{},
	}
	if c.ids = before.Plan.Objects(); !after.Plan.StepFrom(before.Plan) { // a step has the same objects
		c.ids = slices.Concat(c.ids, after.Plan.Objects())
		slices.SortFunc(c.ids, manifest.ID.Compare)
		c.ids = slices.Compact(c.ids)
	}
	for i, id := range c.ids {
		c.index[id] = i
	}
	c.sums = [2][]digest.Sum{make([]digest.Sum, len(c.ids)), make([]digest.Sum, len(c.ids))}
	return c
}

// absentFrom returns the names of one sorted list that another sorted list lacks.
func absentFrom(names, from []string) map[string]bool {
	found := map[string]bool{}
	for _, name := range difference(names, from) {
		found[name] = true
	}
	return found
}

func (c *comparison) sumBefore(id manifest.ID) digest.Sum { return c.sums[0][c.index[id]] }
func (c *comparison) sumAfter(id manifest.ID) digest.Sum  { return c.sums[1][c.index[id]] }

// compareObjects compares all objects concurrently.
func (c *comparison) compareObjects() {
	all := make([]*object, len(c.ids))
	var lock sync.Mutex
	done := 0
	concurrent.Do(len(c.ids), func(i int) {
		all[i] = c.compareObject(i)
		if c.options.Progress == nil {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		done++
		c.options.Progress(done, len(c.ids))
	})
	c.objects = slices.DeleteFunc(all, func(o *object) bool { return o == nil })
}

// compareObject returns the differences of one object, or nil if there are none.
func (c *comparison) compareObject(i int) *object {
	if c.unchanged(c.ids[i]) {
		across, _ := c.known(c.ids[i])
		sum := across.Sum()
		c.sums[0][i], c.sums[1][i] = sum, sum
		check.AddUnchanged(&c.checkOutcomes[0], &c.checkOutcomes[1], across)
		return nil
	}
	before, after := c.pair.ForObject(c.ids[i])
	for side, across := range []*propagate.ObjectPlan{before, after} {
		if across != nil {
			c.sums[side][i] = across.Sum()
			c.checkOutcomes[side].Add(across)
		}
	}
	return c.compareClusters(c.ids[i], before, after)
}

// unchanged reports whether everything about an object is the same in both plans: one was made from the other by deciding about
// other objects.
func (c *comparison) unchanged(id manifest.ID) bool {
	return c.after.Plan.StepFrom(c.before.Plan) && c.after.Plan.UnchangedSince(c.before.Plan, id)
}
