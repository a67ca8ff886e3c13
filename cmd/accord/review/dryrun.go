package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply"
	applied "github.com/accord-dev/accord/reconciler/apply/live"
)

// dryRunConcurrency is how many clusters are asked at once.
const dryRunConcurrency = 16

// DryRunFlags say whether a plan is tried on the members, and how they are reached.
type DryRunFlags struct {
	on      bool
	members string
	timeout time.Duration
}

func (f *DryRunFlags) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.on, "live", false, "ask every cluster that can be reached, by a server-side dry-run, what it would refuse")
	flags.StringVar(&f.members, "members", "", "with --live: kubeconfig whose contexts are the clusters (default the credentials that the hub has)")
	flags.DurationVar(&f.timeout, "live-timeout", 10*time.Second, "with --live: how long each cluster may take")
}

func (f *DryRunFlags) Check() error {
	switch {
	case f.members != "" && !f.on:
		return errors.New("--members is for --live")
	case f.timeout <= 0:
		return fmt.Errorf("--live-timeout %s: expected more than nothing", f.timeout)
	}
	return nil
}

// A dial finds the way to a cluster; the error says why there is none.
type dialer func(ctx context.Context, cluster string) (*rest.Config, error)

// dialer leads to the members of a kubeconfig, or to those that the hub has credentials of.
func (f *DryRunFlags) dialer(live *load.LiveHub, k *load.HubSnapshot, stderr io.Writer) (dialer, error) {
	if f.members != "" {
		configs, err := hub.MemberConfigs(f.members, stderr)
		return func(_ context.Context, cluster string) (*rest.Config, error) {
			if cfg := configs[cluster]; cfg != nil {
				return cfg, nil
			}
			return nil, fmt.Errorf("%s has no context of this name", f.members)
		}, err
	}
	if live == nil || k == nil {
		return nil, errors.New("--live: which clusters? --members KUBECONFIG, or --hub-kubeconfig of a hub that has their credentials")
	}
	return func(ctx context.Context, cluster string) (*rest.Config, error) {
		return dialMember(ctx, live, k, cluster)
	}, nil
}

// dialMember reads the credentials of a cluster on the hub, which needs the right to read that Secret.
func dialMember(ctx context.Context, l *load.LiveHub, k *load.HubSnapshot, cluster string) (*rest.Config, error) {
	i := slices.IndexFunc(k.Clusters, func(c v1alpha1.Cluster) bool { return c.Name == cluster })
	if i < 0 {
		return nil, errors.New("it is not joined yet")
	}
	c, secret := &k.Clusters[i], &corev1.Secret{}
	if ref := c.Spec.SecretRef; ref != nil {
		if err := l.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
			return nil, l.Wrap("reading its credentials", err)
		}
	}
	return clusters.RESTConfig(c, secret.Data)
}

// try asks every cluster of the plan of head; nil without --live, and when there is no plan.
func (f *DryRunFlags) try(ctx context.Context, r *Review, head *side, live *load.LiveHub, k *load.HubSnapshot, stderr io.Writer) (*DryRunReport, error) {
	if !f.on || head.plan == nil || len(r.Mistakes) > 0 {
		return nil, nil
	}
	reach, err := f.dialer(live, k, stderr)
	if err != nil {
		return nil, err
	}
	names, report := head.plan.Clusters(), &DryRunReport{}
	bar := newProgressBar(stderr)
	defer bar.end()
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(dryRunConcurrency)
	for _, name := range names {
		g.Go(func() error {
			trial, err := f.tryOn(ctx, r.Federation, head.plan, name, reach)
			mu.Lock()
			defer mu.Unlock()
			report.add(name, trial, err)
			bar.set(report.Clusters, len(names))
			return ctx.Err() // interrupted
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	report.conclude()
	return report, nil
}

// tryOn asks one cluster.
func (f *DryRunFlags) tryOn(ctx context.Context, federation string, plan *propagate.Plan, cluster string, reach dialer) (applied.DryRunResult, error) {
	target := plan.ForCluster(cluster)
	if len(target.Objects) == 0 {
		return applied.DryRunResult{}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.timeout, fmt.Errorf("no answer to everything within %s", f.timeout))
	defer cancel()
	cfg, err := reach(ctx, cluster)
	if err != nil {
		return applied.DryRunResult{}, err
	}
	m, err := clusters.Connect(cfg, cluster)
	if err != nil {
		return applied.DryRunResult{}, err
	}
	defer m.Close()
	book, _ := plan.Interpreters()
	trial, err := apply.DryRun(ctx, m, federation, target, nil, nil, apply.TryOptions{Book: book, Timeout: f.timeout})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return trial, err
}

// A liveReport is what the clusters say to a plan. It is true for the moment in which they were asked.
type DryRunReport struct {
	// Verdict is "tried 12 objects on 13 of 14 clusters".
	Verdict string `json:"verdict"`
	// Clusters of the plan, how many of them were asked to the end, and about how many objects in all.
	Clusters int `json:"clusters"`
	Asked    int `json:"asked"`
	Tried    int `json:"tried"`
	// Refused is what clusters would not take. It blocks the plan.
	Refused []rejection `json:"refused"`
	// Unreachable clusters, or those that did not answer to the end, and why. They block nothing.
	Unreachable []unreachableCluster `json:"unreachable"`
	// Untried objects, about which nothing can be known before the change is there.
	Untried []untriedObjects `json:"untried"`
}

// rejection is one object that clusters refuse in the same words.
type rejection struct {
	Object   string   `json:"object"`
	Reason   string   `json:"reason"`
	Message  string   `json:"message"`
	Clusters []string `json:"clusters"`
}

// unreachableCluster is one cluster of which not everything is known.
type unreachableCluster struct {
	Cluster string `json:"cluster"`
	Why     string `json:"why"`
}

// untriedObjects are the objects that cannot be tried for the same reason.
type untriedObjects struct {
	Why     string   `json:"why"`
	Objects []string `json:"objects"`
}

// add what one cluster said.
func (l *DryRunReport) add(cluster string, t applied.DryRunResult, err error) {
	l.Clusters++
	l.Tried += t.Checked
	if err != nil {
		why := strings.TrimPrefix(err.Error(), "cluster "+cluster+": ")
		l.Unreachable = append(l.Unreachable, unreachableCluster{cluster, why})
	} else {
		l.Asked++
	}
	for _, x := range t.Rejected {
		l.Refused = addRejection(l.Refused, rejection{x.ID.String(), x.Reason, x.Message, nil}, cluster)
	}
	for _, x := range t.Unchecked {
		i := slices.IndexFunc(l.Untried, func(u untriedObjects) bool { return u.Why == x.Message })
		if i < 0 {
			i = len(l.Untried)
			l.Untried = append(l.Untried, untriedObjects{Why: x.Message})
		}
		if id := x.ID.String(); !slices.Contains(l.Untried[i].Objects, id) {
			l.Untried[i].Objects = append(l.Untried[i].Objects, id)
		}
	}
}

// addRejection notes that one more cluster refuses the same.
func addRejection(all []rejection, r rejection, cluster string) []rejection {
	i := slices.IndexFunc(all, func(x rejection) bool {
		return x.Object == r.Object && x.Reason == r.Reason && x.Message == r.Message
	})
	if i < 0 {
		i = len(all)
		all = append(all, r)
	}
	all[i].Clusters = append(all[i].Clusters, cluster)
	return all
}

// conclude sorts what came in any order, and sums it up.
func (l *DryRunReport) conclude() {
	for _, r := range l.Refused {
		slices.Sort(r.Clusters)
	}
	slices.SortFunc(l.Refused, func(a, b rejection) int {
		return cmp.Or(-cmp.Compare(len(a.Clusters), len(b.Clusters)), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Message, b.Message))
	})
	slices.SortFunc(l.Unreachable, func(a, b unreachableCluster) int { return cmp.Compare(a.Cluster, b.Cluster) })
	for _, u := range l.Untried {
		slices.Sort(u.Objects)
	}
	slices.SortFunc(l.Untried, func(a, b untriedObjects) int { return cmp.Compare(a.Why, b.Why) })
	l.Verdict = fmt.Sprintf("tried %s on %s", text.Count(l.Tried, "object"), text.OutOf(l.Asked, l.Clusters))
	l.Refused, l.Unreachable, l.Untried = orEmpty(l.Refused), orEmpty(l.Unreachable), orEmpty(l.Untried)
}

// orEmpty is a list that JSON has as one, also when there is nothing in it.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
