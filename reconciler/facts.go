package reconciler

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

// surveyPatience is how long a plan waits for clusters that answer to say what it has to know of them. It is only waited
// for what they were never asked; a cluster that does not say it in time is planned for without.
const surveyPatience = 5 * time.Second

// decision is a plan, and what it was made from.
type decision struct {
	members []v1alpha1.Cluster
	input   propagate.Input
	plan    *propagate.Plan
}

// decide makes the plan after last, which may be nil, with what the clusters say of themselves: they are asked first where nobody has asked before. input
// makes the Input for a fleet.
func (e *engine) decide(ctx context.Context, last *propagate.Plan, members []v1alpha1.Cluster, input func([]v1alpha1.Cluster) propagate.Input) (decision, error) {
	e.inquire(ctx, false)
	d, err := decideFor(last, e.inform(members), input)
	if err != nil || !d.plan.NeedsRoom() {
		return d, err
	}
	e.share.needsRoom.Store(true)
	if !e.inquire(ctx, true) {
		return d, nil
	}
	return decideFor(last, e.inform(members), input)
}

func decideFor(last *propagate.Plan, members []v1alpha1.Cluster, input func([]v1alpha1.Cluster) propagate.Input) (decision, error) {
	d := decision{members: members, input: input(members)}
	var err error
	d.plan, err = last.Next(d.input)
	return d, err
}

// sight is what the plan can see of the clusters.
func (d decision) sight() sight {
	return sight{conditions: len(d.input.TaintPolicies) > 0, room: d.plan.NeedsRoom()}
}

// inquire asks the clusters that answer what they were not asked for long; it says whether there were any.
func (e *engine) inquire(ctx context.Context, room bool) bool {
	ctx, cancel := context.WithTimeout(ctx, surveyPatience)
	defer cancel()
	var asked atomic.Bool
	var asking sync.WaitGroup
	for _, b := range e.connected() {
		if silent, _ := b.reach(); silent == "" {
			asking.Go(func() {
				if b.inquire(ctx, room) {
					asked.Store(true)
				}
			})
		}
	}
	asking.Wait()
	return asked.Load()
}

// connected are all bulkheads, in no order.
func (e *engine) connected() []*bulkhead {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Collect(maps.Values(e.bulkheads))
}

// inform is the clusters with what they said of themselves last, which the hub may not have heard of yet. The argument
// is left as it is.
func (e *engine) inform(members []v1alpha1.Cluster) []v1alpha1.Cluster {
	informed := slices.Clone(members)
	for i := range informed {
		if b := e.bulkhead(informed[i].Name); b != nil {
			c := &informed[i]
			c.Status.Conditions = slices.Clone(c.Status.Conditions) // the rest is replaced and not changed
			b.facts.inform(&c.Status, c.Generation)
		}
	}
	return informed
}

// needsRoom says whether any plan in force depends on what room the clusters have.
func (e *engine) needsRoom() bool {
	return slices.ContainsFunc(e.all(), func(f *federation) bool { return f.sight().room })
}
