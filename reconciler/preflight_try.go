package reconciler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status"
)

const (
	// trials is how many clusters are asked at once.
	trials = 64
	// trialTimeout is how long a cluster may take for one answer, and trialLimit for all. One that takes longer counts as
	// unreachable: it does not keep the others waiting.
	trialTimeout = 10 * time.Second
	trialLimit   = 2 * time.Minute
	// introduction is how long is waited for a cluster that was never heard from: after a restart all of them.
	introduction = probeTimeout + time.Second
)

// findings are what the clusters say to one plan.
type findings struct {
	digest  string
	partial bool // only what was refused the last time was tried

	mu      sync.Mutex
	tried   int
	found   []finding
	silent  []string // clusters that could not be asked, and why
	untried []string // objects that could not be tried, with their cluster, and why
}

// finding is what one cluster refuses.
type finding struct {
	cluster string
	live.Rejection
}

// preflight asks every cluster that a plan changes what it says to that, with server-side dry-runs; with only, about some
// objects. A cluster that does not answer, or not to the end, is not waited for.
func (e *engine) preflight(ctx context.Context, f *federation, plan *propagate.Plan, only map[string]map[manifest.ID]bool) *findings {
	found := &findings{digest: plan.Digest(), partial: only != nil}
	var changed []string
	f.mu.Lock()
	for _, c := range plan.Clusters() {
		if !f.untouched(c, plan) && !f.alike(c, plan) && (only == nil || only[c] != nil) {
			changed = append(changed, c)
		}
	}
	f.mu.Unlock()
	e.introduce(ctx, f, changed)
	var g errgroup.Group
	g.SetLimit(trials)
	for _, c := range changed {
		g.Go(func() error {
			e.tryOn(ctx, f, plan, c, only[c], found)
			return nil
		})
	}
	_ = g.Wait() // what fails is found
	found.sort()
	return found
}

// introduce waits for clusters of which nothing is known yet, each once.
func (e *engine) introduce(ctx context.Context, f *federation, clusters []string) {
	f.mu.Lock()
	var open []string
	for _, c := range clusters {
		if !f.preflights.waited[c] {
			open = append(open, c)
		}
	}
	f.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, introduction)
	defer cancel()
	for tick := time.NewTicker(50 * time.Millisecond); slices.ContainsFunc(open, e.stranger); {
		select {
		case <-tick.C:
			continue
		case <-ctx.Done():
			tick.Stop()
		}
		break
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.preflights.waited == nil {
		f.preflights.waited = map[string]bool{}
	}
	for _, c := range clusters {
		f.preflights.waited[c] = true
	}
}

// notHeardYet is why a cluster is not heard from that has not been asked yet.
const notHeardYet = "not heard from yet"

// stranger says that a cluster was neither heard from nor found silent in this process.
func (e *engine) stranger(cluster string) bool {
	if e.bulkhead(cluster) == nil && e.share.holders == nil {
		return true
	}
	why, _ := e.reach(cluster)
	return why == notHeardYet
}

// tryOn asks one cluster.
func (e *engine) tryOn(ctx context.Context, f *federation, plan *propagate.Plan, cluster string, only map[manifest.ID]bool, found *findings) {
	target, live, inventory := f.known(cluster, plan)
	book, _ := plan.Interpreters()
	ctx, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	why, err := e.ask(ctx, cluster, func(m *clusters.Member) error {
		trial, err := apply.DryRun(ctx, m, f.key.String(), target, live, inventory, apply.TryOptions{Book: book, Only: only, Timeout: trialTimeout})
		found.add(cluster, trial)
		return err
	})
	if err != nil {
		why = err.Error()
	}
	if why != "" {
		found.unasked(cluster, why)
	}
}

// known is what a plan wants of a cluster, and what is known to be there: nil, if it has to be asked for.
func (f *federation) known(cluster string, plan *propagate.Plan) (target propagate.ClusterPlan, objects *live.Objects, inventory *live.Inventory) {
	f.mu.Lock()
	defer f.mu.Unlock()
	target = plan.ForCluster(cluster)
	l := f.legs[cluster]
	if l == nil {
		return target, nil, nil
	}
	if l.listed && l.heard == nil { // what another replica tells of live objects is not all that has to be known here
		objects = l.live.Clone()
	}
	inventory, _ = live.ParseInventory(slices.Clone(l.delivery.Status.Inventory)) // what cannot be read fails the delivery, which tells of it
	return target, objects, inventory
}

func (x *findings) unasked(cluster, why string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.silent = append(x.silent, cluster+" ("+why+")")
}

// add what a cluster said. What exists and is not ours is for the delivery to report, which leaves it alone and goes on.
func (x *findings) add(cluster string, t live.DryRunResult) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.tried += t.Checked
	for _, r := range t.Rejected {
		if r.Reason != live.Conflict {
			x.found = append(x.found, finding{cluster, r})
		}
	}
	for _, u := range t.Unchecked {
		x.untried = append(x.untried, u.ID.String()+" on "+cluster+": "+u.Message)
	}
}

func (x *findings) sort() {
	slices.SortFunc(x.found, func(a, b finding) int {
		if c := strings.Compare(a.cluster, b.cluster); c != 0 {
			return c
		}
		return a.ID.Compare(b.ID)
	})
	slices.Sort(x.silent)
	slices.Sort(x.untried)
}

// refused is what is told of it.
func (x *findings) refused() []status.Refusal {
	var all []status.Refusal
	for _, r := range x.found {
		all = append(all, status.Refusal{Cluster: r.cluster, Object: r.ID.String(), Reason: r.Reason, Message: r.Message})
	}
	return all
}

// byCluster are the refused objects.
func (x *findings) byCluster() map[string]map[manifest.ID]bool {
	all := map[string]map[manifest.ID]bool{}
	for _, r := range x.found {
		if all[r.cluster] == nil {
			all[r.cluster] = map[manifest.ID]bool{}
		}
		all[r.cluster][r.ID] = true
	}
	return all
}

// String is "12 objects tried, none refused; 3 could not be tried: ...; not asked: ...".
func (x *findings) String() string {
	text := fmt.Sprintf("%d objects tried, none refused", x.tried)
	if x.tried == 1 {
		text = "1 object tried, none refused"
	}
	if n := len(x.untried); n > 0 {
		text += fmt.Sprintf("; %d could not be tried: %s%s", n, x.untried[0], more(n))
	}
	if n := len(x.silent); n > 0 {
		text += fmt.Sprintf("; not asked: %s%s", x.silent[0], more(n))
	}
	return text
}

// more is " and 2 more" of a list of which one was named.
func more(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-1)
}
