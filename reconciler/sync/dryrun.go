package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/publish"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/status"
)

const (
	// dryRunSilence is the time after which the Release reports that a dry-run is under way.
	dryRunSilence = 2 * time.Second
	// dryRunClusters bounds the clusters that are tried at once.
	dryRunClusters = 64
	// answerTimeout bounds one answer of a cluster, clusterTimeout all of them. A cluster that takes longer counts as
	// unreachable: it does not delay the others.
	answerTimeout  = 10 * time.Second
	clusterTimeout = 2 * time.Minute
	// probeWait bounds the time that a dry-run waits for clusters that were never probed: after a restart all of them.
	probeWait = 6 * time.Second
	// probeWaitPoll is the interval of its checks.
	probeWaitPoll = 50 * time.Millisecond
)

// DryRunRequired reports whether the plans of a Federation are tried before they become active.
func DryRunRequired(fed *v1alpha1.Federation) bool {
	return fed.Spec.Preflight == nil || *fed.Spec.Preflight
}

// tryOut tries the pending plan on the clusters. A rejected plan is kept, as one that awaits approval, and tried again.
func (c *Controller) tryOut(ctx context.Context, s *scope) (bool, error) {
	s.pending.Plan.Digest() // renders everything, before anything waits for the lock
	if !DryRunRequired(s.fed) {
		return true, nil
	}
	if s.dryRun = s.f.DryRunNeedless(s.pending); s.dryRun != nil {
		return true, nil
	}
	result, err := c.dryRunAloud(ctx, s)
	if err != nil || !c.current(ctx, s.fed) {
		return false, err
	}
	if rejected := result.Rejected(); len(rejected) > 0 {
		s.f.DryRunRejected(result.digest, result.byCluster(), requestedAt(s.fed), time.Now())
		return false, c.Park(ctx, s.f, s.pending, s.approval, &status.Preflight{Refused: rejected})
	}
	s.dryRun = &status.Preflight{Passed: result.String()}
	return true, nil
}

// dryRunAloud tries the plan, and has the Release report it when that takes long. After a rejection it starts with the
// rejected objects, and tries the rest once these are accepted.
func (c *Controller) dryRunAloud(ctx context.Context, s *scope) (*DryRun, error) {
	done := make(chan *DryRun, 1)
	go func() {
		result := c.DryRun(ctx, s.f, s.pending, s.f.RejectedLast(s.pending))
		if result.partial && len(result.Rejected()) == 0 {
			result = c.DryRun(ctx, s.f, s.pending, nil)
		}
		done <- result
	}()
	var err error
	silence := time.NewTimer(dryRunSilence)
	defer silence.Stop()
	select {
	case result := <-done:
		return result, ctx.Err()
	case <-silence.C:
		if s.f.RejectedLast(s.pending) == nil { // otherwise the Release still reports the rejected objects
			err = c.Park(ctx, s.f, s.pending, s.approval, &status.Preflight{})
		}
	}
	return <-done, errors.Join(err, ctx.Err())
}

// current reports whether a Federation is still as it was when the dry-run began: it may have been suspended meanwhile.
func (c *Controller) current(ctx context.Context, fed *v1alpha1.Federation) bool {
	now := &v1alpha1.Federation{}
	err := c.Get(ctx, client.ObjectKeyFromObject(fed), now)
	return err == nil && now.UID == fed.UID && now.Generation == fed.Generation && now.DeletionTimestamp == nil
}

// DryRun is the result of trying one plan on the clusters.
type DryRun struct {
	digest  string
	partial bool // only previously rejected objects were tried

	mu        sync.Mutex
	tried     int
	rejected  []rejection
	unasked   []string // clusters that could not be asked, and why
	unchecked []string // objects that could not be tried, with their cluster, and why
}

// rejection is an object that one cluster rejects.
type rejection struct {
	cluster string
	live.Rejection
}

// DryRun tries a plan on every cluster that it changes, with server-side dry-runs; with only, some objects. It does not
// wait for a cluster that does not answer, and does not ask one that the plan itself adds to the hub.
func (p *Planner) DryRun(ctx context.Context, f *state.Federation, pending *activation.Pending, only map[string]map[manifest.ID]bool) *DryRun {
	plan := pending.Plan
	result := &DryRun{digest: plan.Digest(), partial: only != nil}
	changed := slices.DeleteFunc(f.ChangedClusters(plan), func(cluster string) bool {
		added := slices.Contains(pending.Adds, cluster)
		if added {
			result.notAsked(cluster, "this commit declares it")
		}
		return added || only != nil && only[cluster] == nil
	})
	p.awaitProbes(ctx, f, changed)
	var g errgroup.Group
	g.SetLimit(dryRunClusters)
	for _, cluster := range changed {
		g.Go(func() error {
			p.dryRunOn(ctx, f, plan, cluster, only[cluster], result)
			return nil
		})
	}
	_ = g.Wait() // failures are part of the result
	result.sort()
	return result
}

// awaitProbes waits for clusters that were never probed, each once.
func (p *Planner) awaitProbes(ctx context.Context, f *state.Federation, clusters []string) {
	open := f.NotWaitedFor(clusters)
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	tick := time.NewTicker(probeWaitPoll)
	defer tick.Stop()
	for slices.ContainsFunc(open, p.neverProbed) && ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	f.WaitedFor(clusters)
}

// neverProbed reports whether no probe of the cluster has finished since start-up.
func (p *Planner) neverProbed(cluster string) bool {
	if !p.registry.Shared() && !p.registry.HasAgent(cluster) && !p.registry.Connected(cluster) {
		return true
	}
	return p.registry.Reachability(cluster, time.Now()).Unreachable == reachability.NotProbed
}

// dryRunOn tries the plan on one cluster.
func (p *Planner) dryRunOn(ctx context.Context, f *state.Federation, plan *propagate.Plan, cluster string, only map[manifest.ID]bool, result *DryRun) {
	target := plan.ForCluster(cluster)
	ctx, cancel := context.WithTimeout(ctx, clusterTimeout)
	defer cancel()
	account, err := p.pool.Account(ctx, f.Key())
	if err != nil {
		result.notAsked(cluster, err.Error())
		return
	}
	if p.agents != nil && p.registry.HasAgent(cluster) {
		p.dryRunByAgent(ctx, publish.Trial{Federation: f.Key(), Target: target, Interpreters: plan.Interpreters(), Account: account, Only: only}, result)
		return
	}
	t, book := f.DryRunTarget(target), plan.Interpreters().Book
	why, err := p.pool.Ask(ctx, cluster, func(m *clusters.Member) error {
		tried, err := apply.DryRun(ctx, m, f.Key().String(), t.Target, t.Live, t.Inventory, apply.DryRunOptions{Difference: t.Difference, Account: account, Book: book, Only: only, Timeout: answerTimeout})
		result.add(cluster, tried)
		return err
	})
	if err != nil {
		why = err.Error()
	}
	if why != "" {
		result.notAsked(cluster, why)
	}
}

// dryRunByAgent has the agent of a cluster try the plan.
func (p *Planner) dryRunByAgent(ctx context.Context, t publish.Trial, result *DryRun) {
	cluster := t.Target.Cluster
	why := p.registry.Reachability(cluster, time.Now()).Unreachable
	if why == "" {
		var tried live.DryRunResult
		tried, why = p.agents.DryRun(ctx, cluster, t)
		result.add(cluster, tried)
	}
	if why != "" {
		result.notAsked(cluster, why)
	}
}

func (d *DryRun) notAsked(cluster, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unasked = append(d.unasked, cluster+" ("+why+")")
}

// add adds the answers of a cluster. The delivery reports objects that exist and are not accord's: it leaves them alone
// and continues.
func (d *DryRun) add(cluster string, r live.DryRunResult) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tried += r.Checked
	for _, x := range r.Rejected {
		if x.Reason != live.Conflict {
			d.rejected = append(d.rejected, rejection{cluster, x})
		}
	}
	for _, u := range r.Unchecked {
		d.unchecked = append(d.unchecked, u.ID.String()+" on "+cluster+": "+u.Message)
	}
}

func (d *DryRun) sort() {
	slices.SortFunc(d.rejected, func(a, b rejection) int {
		if c := strings.Compare(a.cluster, b.cluster); c != 0 {
			return c
		}
		return a.ID.Compare(b.ID)
	})
	slices.Sort(d.unasked)
	slices.Sort(d.unchecked)
}

// Rejected returns the rejected objects, sorted.
func (d *DryRun) Rejected() []status.Refusal {
	var all []status.Refusal
	for _, r := range d.rejected {
		all = append(all, status.Refusal{Cluster: r.cluster, Object: r.ID.String(), Reason: r.Reason, Message: r.Message})
	}
	return all
}

func (d *DryRun) byCluster() map[string]map[manifest.ID]bool {
	all := map[string]map[manifest.ID]bool{}
	for _, r := range d.rejected {
		if all[r.cluster] == nil {
			all[r.cluster] = map[manifest.ID]bool{}
		}
		all[r.cluster][r.ID] = true
	}
	return all
}

// String returns "12 objects tried, none refused; 3 could not be tried: ...; not asked: ...".
func (d *DryRun) String() string {
	text := phrase.Count(d.tried, "object") + " tried, none refused"
	if n := len(d.unchecked); n > 0 {
		text += fmt.Sprintf("; %d could not be tried: %s%s", n, d.unchecked[0], more(n))
	}
	if n := len(d.unasked); n > 0 {
		text += fmt.Sprintf("; not asked: %s%s", d.unasked[0], more(n))
	}
	return text
}

// more returns " and 2 more" for a list of three of which one was named.
func more(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-1)
}
