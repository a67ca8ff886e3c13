package reconciler

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// A hub that lost its data, and a Federation that is declared again, find members that have what was delivered before, and
// nothing in the ledger. What a member has counts as placed there then: otherwise a taint, or a kind that the cluster
// could not list, would have it removed, and replicas would be divided as if nothing ran. Which term of clusterAffinities
// was in use, and what a Lazy policy waits for, no member knows: the first term that works is taken, and the policies of
// Git take effect.

// find is what one cluster has of a federation of which the ledger knew nothing there.
type find struct {
	objects []live.Discovered
	// told: a plan was made, or is being made, that knows it, after the plan since.
	told  bool
	since *propagate.Plan
}

// errUnplanned ends a delivery of a plan that was made without knowing what the cluster has.
var errUnplanned = errors.New("it has objects of the federation that the hub did not know of; the plan is made again with them")

// recall reads from the cluster what the ledger does not know: it is new, or the hub lost its data. A plan that was made without it
// is not delivered.
func (b *bulkhead) recall(ctx context.Context, f *federation, j *job) error {
	if j.inventory.Len() > 0 || j.recalled {
		return nil
	}
	objects, err := f.found(ctx, b.Member)
	if err != nil {
		return err
	}
	if j.inventory, err = live.ParseInventory(live.Entries(objects)); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if x := f.finds[b.Name]; x.needed() && (!x.told || x.since == j.plan) {
		b.engine.replan(f.key)
		return errUnplanned
	}
	j.recalled = true
	delete(f.finds, b.Name) // what is there from now on stands in the ledger
	return nil
}

// needed says that a plan has to know it; a cluster that was asked and has nothing is not asked again.
func (x *find) needed() bool { return x != nil && len(x.objects) > 0 }

// found asks a cluster once what it has.
func (f *federation) found(ctx context.Context, m *clusters.Member) ([]live.Discovered, error) {
	f.mu.Lock()
	x := f.finds[m.Name]
	f.mu.Unlock()
	if x != nil {
		return x.objects, nil
	}
	objects, err := apply.Recall(ctx, m, f.key.String())
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.finds == nil {
		f.finds = map[string]*find{}
	}
	if f.finds[m.Name] == nil {
		f.finds[m.Name] = &find{objects: objects}
	}
	return objects, nil
}

// recollect asks the clusters what they have before the first plan of a federation of which the ledger knows nothing. One that
// does not answer in time is asked when it does.
func (e *engine) recollect(ctx context.Context, f *federation, members []v1alpha1.Cluster) {
	f.mu.Lock()
	known := f.plan != nil || len(f.objects) > 0 || len(f.legs) > 0
	f.mu.Unlock()
	if known {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, surveyPatience)
	defer cancel()
	var asking sync.WaitGroup
	for _, m := range members {
		asking.Go(func() {
			if !e.answers(ctx, m) {
				return
			}
			_, _ = e.ask(ctx, m.Name, func(m *clusters.Member) error { // what it cannot say it is asked for again when it is delivered
				_, err := f.found(ctx, m)
				return err
			})
		})
	}
	asking.Wait()
}

// answers waits until it is known whether a cluster answers, and says so.
func (e *engine) answers(ctx context.Context, c v1alpha1.Cluster) bool {
	for {
		switch why, _ := e.reach(c.Name); {
		case why == "":
			return true
		case e.bulkhead(c.Name) != nil && why != notHeardYet:
			return false
		case e.bulkhead(c.Name) == nil && e.share.passing() <= 0 &&
			!meta.IsStatusConditionPresentAndEqual(c.Status.Conditions, fluxmeta.ReadyCondition, metav1.ConditionUnknown):
			return false // it was tried, or nobody tries
		}
		select {
		case <-time.After(recollectPause):
		case <-ctx.Done():
			return false
		}
	}
}

// recollectPause is between two looks whether a cluster was heard.
const recollectPause = 20 * time.Millisecond

// unplanned says that clusters have what no plan knows of yet. The caller holds f.mu.
func (f *federation) unplanned() bool {
	for _, x := range f.finds {
		if x.needed() && !x.told {
			return true
		}
	}
	return false
}

// withFinds adds what clusters were found to have to what was decided. What a plan in force was made with is in
// that by now. The caller holds f.mu.
func (f *federation) withFinds(all []propagate.Previous) []propagate.Previous {
	at := map[manifest.ID]int{}
	for i := range all {
		at[all[i].ID] = i
	}
	for cluster, x := range f.finds {
		if x.told && x.since != f.plan {
			continue
		}
		x.told, x.since = true, f.plan
		for _, o := range x.objects {
			i, known := at[o.ID]
			if !known {
				i = len(all)
				at[o.ID], all = i, append(all, propagate.Previous{ID: o.ID})
			}
			all[i].Clusters = placedOn(all[i].Clusters, propagate.PreviousCluster{Name: cluster, Replicas: o.Replicas, Completions: o.Completions})
		}
	}
	return all
}

// placedOn adds a cluster to others, sorted, unless it is there. The others may be a plan's, and stay as they are.
func placedOn(others []propagate.PreviousCluster, c propagate.PreviousCluster) []propagate.PreviousCluster {
	i, there := slices.BinarySearchFunc(others, c, func(a, b propagate.PreviousCluster) int { return cmp.Compare(a.Name, b.Name) })
	if there {
		return others
	}
	return slices.Insert(slices.Clone(others), i, c)
}
