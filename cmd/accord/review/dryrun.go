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
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/apply"
	applied "github.com/accord-dev/accord/reconciler/apply/live"
)

// dryRunConcurrency is the number of clusters that are asked at once.
const dryRunConcurrency = 16

// DryRunFlags request a server-side dry-run on the members, and select their credentials.
type DryRunFlags struct {
	on      bool
	members string
	timeout time.Duration
}

func (f *DryRunFlags) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.on, "server-dry-run", false, "send a server-side dry-run to every reachable cluster")
	flags.StringVar(&f.members, "member-kubeconfig", "", "with --server-dry-run: kubeconfig whose contexts are the clusters (default those of the hub)")
	flags.DurationVar(&f.timeout, "server-dry-run-timeout", 10*time.Second, "with --server-dry-run: time for each cluster")
}

func (f *DryRunFlags) Check() error {
	switch {
	case f.members != "" && !f.on:
		return errors.New("--member-kubeconfig requires --server-dry-run")
	case f.timeout <= 0:
		return fmt.Errorf("--server-dry-run-timeout must be greater than 0, got %s", f.timeout)
	}
	return nil
}

// dialer returns the members of a kubeconfig, or those of the hub. The hub forwards a request to a cluster in pull mode in the name of its
// user only: a dry-run as another account is not possible there.
func (f *DryRunFlags) dialer(live *load.LiveHub, k *load.HubSnapshot, account tenancy.Account, stderr io.Writer) (load.Dialer, error) {
	switch {
	case f.members != "":
		return load.Contexts(f.members, stderr)
	case live == nil || k == nil:
		return nil, errors.New("--server-dry-run requires --member-kubeconfig KUBECONFIG, or --kubeconfig of the hub of the clusters")
	}
	return func(ctx context.Context, cluster string) (*rest.Config, error) {
		i := slices.IndexFunc(k.Clusters, func(c v1alpha1.Cluster) bool { return c.Name == cluster })
		if i < 0 {
			return nil, errors.New("the cluster has not joined the hub")
		}
		if k.Clusters[i].Spec.SyncMode == v1alpha1.SyncModePull && account.Name != "" {
			return nil, errors.New("the hub forwards a dry-run to a cluster in pull mode in your name, and the Tenant delivers with another account: use --member-kubeconfig")
		}
		return live.MemberConfig(ctx, &k.Clusters[i])
	}, nil
}

// try asks every cluster of the plan of head, with the account of the Tenant. It returns nil if no dry-run was requested or there is no plan.
func (f *DryRunFlags) try(ctx context.Context, r *Review, head *side, account tenancy.Account, live *load.LiveHub, k *load.HubSnapshot, stderr io.Writer) (*DryRunReport, error) {
	if !f.on || head.plan == nil || len(r.Mistakes) > 0 {
		return nil, nil
	}
	reach, err := f.dialer(live, k, account, stderr)
	if err != nil {
		return nil, err
	}
	names, report := head.plan.Clusters(), &DryRunReport{}
	bar := text.NewProgressLine(stderr, "dry-run")
	defer bar.End()
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(dryRunConcurrency)
	for _, name := range names {
		g.Go(func() error {
			trial, err := f.tryOn(ctx, r.Federation, account, head.plan, name, reach)
			mu.Lock()
			defer mu.Unlock()
			report.add(name, trial, err)
			bar.Set(report.Clusters, len(names))
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
func (f *DryRunFlags) tryOn(ctx context.Context, federation string, account tenancy.Account, plan *propagate.Plan, cluster string, reach load.Dialer) (applied.DryRunResult, error) {
	target := plan.ForCluster(cluster)
	if len(target.Objects) == 0 {
		return applied.DryRunResult{}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.timeout, fmt.Errorf("timeout after %s", f.timeout))
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
	book := plan.Interpreters().Book
	trial, err := apply.DryRun(ctx, m, federation, target, nil, nil, apply.DryRunOptions{Account: account, Book: book, Fields: true, Timeout: f.timeout})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return trial, err
}

// DryRunReport is the answers of the clusters at one moment.
type DryRunReport struct {
	// Verdict is "tried 12 objects on 13 of 14 clusters".
	Verdict string `json:"verdict"`
	// Clusters counts the clusters of the plan, Asked those that answered every request, Tried the objects.
	Clusters int `json:"clusters"`
	Asked    int `json:"asked"`
	Tried    int `json:"tried"`
	// Compared counts the objects that exist on the clusters, Changed those of which a delivery changes fields. Unlike the comparison
	// with base, it is about the live objects, with the defaults of the API server.
	Compared int             `json:"compared"`
	Changed  []ChangedObject `json:"changed"`
	// Refused are objects that clusters reject. They block the plan.
	Refused []Rejection `json:"refused"`
	// Unreachable are clusters that did not answer every request, with the reason. They do not block the plan.
	Unreachable []UnreachableCluster `json:"unreachable"`
	// Untried are objects that cannot be tried before the change is applied.
	Untried []UntriedObjects `json:"untried"`
}

// Rejection is one object that clusters reject with the same message.
type Rejection struct {
	Object   string   `json:"object"`
	Reason   string   `json:"reason"`
	Message  string   `json:"message"`
	Clusters []string `json:"clusters"`
}

// ChangedObject is one live object of which a delivery changes the same fields on some clusters.
type ChangedObject struct {
	Object   string   `json:"object"`
	Fields   []string `json:"fields"`
	Clusters []string `json:"clusters"`
}

// UnreachableCluster is one cluster without a complete answer.
type UnreachableCluster struct {
	Cluster string `json:"cluster"`
	Why     string `json:"why"`
}

// UntriedObjects are the objects that cannot be tried for the same reason.
type UntriedObjects struct {
	Why     string   `json:"why"`
	Objects []string `json:"objects"`
}

// add adds the answer of one cluster.
func (l *DryRunReport) add(cluster string, t applied.DryRunResult, err error) {
	l.Clusters++
	l.Tried += t.Checked
	if err != nil {
		why := strings.TrimPrefix(err.Error(), "cluster "+cluster+": ")
		l.Unreachable = append(l.Unreachable, UnreachableCluster{cluster, why})
	} else {
		l.Asked++
	}
	l.Compared += t.Compared
	for _, x := range t.Changed {
		i := slices.IndexFunc(l.Changed, func(c ChangedObject) bool { return c.Object == x.ID.String() && slices.Equal(c.Fields, x.Fields) })
		if i < 0 {
			i = len(l.Changed)
			l.Changed = append(l.Changed, ChangedObject{Object: x.ID.String(), Fields: x.Fields})
		}
		l.Changed[i].Clusters = append(l.Changed[i].Clusters, cluster)
	}
	for _, x := range t.Rejected {
		l.Refused = addRejection(l.Refused, Rejection{x.ID.String(), x.Reason, x.Message, nil}, cluster)
	}
	for _, x := range t.Unchecked {
		i := slices.IndexFunc(l.Untried, func(u UntriedObjects) bool { return u.Why == x.Message })
		if i < 0 {
			i = len(l.Untried)
			l.Untried = append(l.Untried, UntriedObjects{Why: x.Message})
		}
		if id := x.ID.String(); !slices.Contains(l.Untried[i].Objects, id) {
			l.Untried[i].Objects = append(l.Untried[i].Objects, id)
		}
	}
}

// addRejection adds the cluster to the rejection with the same message.
func addRejection(all []Rejection, r Rejection, cluster string) []Rejection {
	i := slices.IndexFunc(all, func(x Rejection) bool {
		return x.Object == r.Object && x.Reason == r.Reason && x.Message == r.Message
	})
	if i < 0 {
		i = len(all)
		all = append(all, r)
	}
	all[i].Clusters = append(all[i].Clusters, cluster)
	return all
}

// conclude sorts the answers and computes the verdict.
func (l *DryRunReport) conclude() {
	for _, r := range l.Refused {
		slices.Sort(r.Clusters)
	}
	changed := 0
	for _, c := range l.Changed {
		slices.Sort(c.Clusters)
		changed += len(c.Clusters)
	}
	slices.SortFunc(l.Changed, func(a, b ChangedObject) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), slices.Compare(a.Clusters, b.Clusters))
	})
	slices.SortFunc(l.Refused, func(a, b Rejection) int {
		return cmp.Or(-cmp.Compare(len(a.Clusters), len(b.Clusters)), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Message, b.Message))
	})
	slices.SortFunc(l.Unreachable, func(a, b UnreachableCluster) int { return cmp.Compare(a.Cluster, b.Cluster) })
	for _, u := range l.Untried {
		slices.Sort(u.Objects)
	}
	slices.SortFunc(l.Untried, func(a, b UntriedObjects) int { return cmp.Compare(a.Why, b.Why) })
	l.Verdict = fmt.Sprintf("tried %s on %s", phrase.Count(l.Tried, "object"), text.OutOf(l.Asked, l.Clusters))
	switch {
	case l.Compared > 0 && changed == 0:
		l.Verdict += fmt.Sprintf("; of %s that %s a delivery changes no field", phrase.Count(l.Compared, "object"), phrase.Plural(l.Compared, "exists", "exist"))
	case changed > 0:
		l.Verdict += fmt.Sprintf("; a delivery changes fields of %d of %s that %s", changed, phrase.Count(l.Compared, "object"), phrase.Plural(l.Compared, "exists", "exist"))
	}
	l.Changed, l.Refused, l.Unreachable, l.Untried = orEmpty(l.Changed), orEmpty(l.Refused), orEmpty(l.Unreachable), orEmpty(l.Untried)
}

// orEmpty returns an empty list for nil, so that JSON has [] in place of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// rejectedCode is the code of a rejection.
const rejectedCode = "live-refused"

// String returns "eu-7 refuses apps/Deployment shop/web: admission webhook ...".
func (r Rejection) String() string {
	verb := "refuses"
	if len(r.Clusters) > 1 {
		verb = "refuse"
	}
	return fmt.Sprintf("%s %s %s: %s", phrase.List(r.Clusters, text.FewNames), verb, r.Object, r.Message)
}

// blocking returns the reasons why the change must not be merged: those of the comparison, and the rejections.
func (r *Review) blocking() []diff.Reason {
	reasons := r.Report.Blocking()
	if r.Live != nil {
		for _, refusal := range r.Live.Refused {
			reasons = append(reasons, diff.Reason{Code: rejectedCode, Message: refusal.String()})
		}
	}
	return reasons
}
