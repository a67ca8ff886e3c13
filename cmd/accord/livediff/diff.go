package livediff

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

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/review"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/diff"
)

// concurrency is the number of clusters that are compared at once.
const concurrency = 8

// Options select the clusters and the objects.
type Options struct {
	Hub hub.Flags
	// Members is a kubeconfig whose contexts are the clusters; empty: the hub has the credentials.
	Members string
	// Clusters to compare; empty: all.
	Clusters []string
	// Namespace of the named objects.
	Namespace string
	// Timeout is the time for each cluster.
	Timeout time.Duration
}

// Report is the outcome of all clusters.
type Report struct {
	// Differing counts the pairs of cluster and object that differ, Errors those that could not be compared.
	Differing int           `json:"differing"`
	Errors    int           `json:"errors"`
	Clusters  []ClusterDiff `json:"clusters"`
}

// DocumentKind implements text.Document.
func (Report) DocumentKind() string { return "LiveDiff" }

// Run compares the tree with the clusters.
func Run(ctx context.Context, o Options, p *load.PlannedTree, live *load.LiveHub, names []load.ObjectName, stderr io.Writer) (Report, error) {
	for _, x := range p.Refusals(p.Plan, true) {
		return Report{}, &manifest.Error{Origin: x.At, Message: x.Message + ": " + x.Fix}
	}
	wanted, err := namedObjects(p, names, o.Namespace)
	if err != nil {
		return Report{}, err
	}
	dial, err := o.dialer(live, stderr)
	if err != nil {
		return Report{}, err
	}
	inventories := map[string][]manifest.ID{}
	if len(names) == 0 {
		if inventories, err = readInventories(ctx, live); err != nil {
			return Report{}, err
		}
	}
	clusters := o.Clusters
	for _, name := range clusters {
		if err := p.CheckCluster(name); err != nil {
			return Report{}, err
		}
	}
	if len(clusters) == 0 {
		clusters = p.Plan.Clusters()
	}
	bar := text.NewProgressLine(stderr, "comparing")
	defer bar.End()
	report, key := Report{Clusters: make([]ClusterDiff, len(clusters))}, fingerprintKey()
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(concurrency)
	done := 0
	for i, name := range clusters {
		target := p.ForCluster(name)
		objects := slices.DeleteFunc(slices.Clone(target.Objects), func(x propagate.Placed) bool { return wanted != nil && !wanted[x.ID] })
		g.Go(func() error {
			found, err := o.compareWithin(ctx, dial, name, objects, inventories[name], key)
			if err != nil {
				found = ClusterDiff{Cluster: name, Objects: []ObjectDiff{}, Errors: []Reason{{Why: err.Error()}}}
			}
			for _, f := range target.Failed {
				if wanted == nil || wanted[f.ID] {
					found.Errors = append(found.Errors, Reason{f.ID.String(), f.Err.Error()})
				}
			}
			mu.Lock()
			defer mu.Unlock()
			report.Clusters[i], done = found, done+1
			bar.Set(done, len(clusters))
			return ctx.Err() // interrupted
		})
	}
	if err := g.Wait(); err != nil {
		return Report{}, err
	}
	for _, c := range report.Clusters {
		report.Differing, report.Errors = report.Differing+len(c.Objects), report.Errors+len(c.Errors)
	}
	return report, nil
}

// compareWithin compares one cluster within its time.
func (o Options) compareWithin(ctx context.Context, dial load.Dialer, name string, objects []propagate.Placed, inventory []manifest.ID, key []byte) (ClusterDiff, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("timeout after %s", o.Timeout))
	defer cancel()
	cfg, err := dial(ctx, name)
	if err != nil {
		return ClusterDiff{}, err
	}
	found, err := compareCluster(ctx, cfg, name, objects, inventory, key)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return found, err
}

// namedObjects returns the named objects, nil if none is named.
func namedObjects(p *load.PlannedTree, names []load.ObjectName, namespace string) (map[manifest.ID]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	all := map[manifest.ID]bool{}
	for _, name := range names {
		id, err := p.Find(name, namespace)
		if err != nil {
			return nil, err
		}
		all[id] = true
	}
	return all, nil
}

// dialer returns the contexts of a kubeconfig, or the clusters of the hub.
func (o Options) dialer(live *load.LiveHub, stderr io.Writer) (load.Dialer, error) {
	switch {
	case o.Members != "":
		return load.Contexts(o.Members, stderr)
	case live == nil:
		return nil, errors.New("accord diff reads the members: name their hub with --kubeconfig or $" + hub.KubeconfigEnv + ", or the members with --member-kubeconfig")
	}
	return live.Member, nil
}

// readInventories returns the objects that the Federation delivered, by cluster; none without a hub or a Federation there.
func readInventories(ctx context.Context, live *load.LiveHub) (map[string][]manifest.ID, error) {
	if live == nil || live.Federation == nil {
		return nil, nil
	}
	list := &v1alpha1.InventoryList{}
	if err := live.List(ctx, list, client.InNamespace(live.Federation.Namespace), client.MatchingLabels{v1alpha1.FederationLabel: live.Federation.Name}); err != nil {
		return nil, live.Wrap("listing the inventories", err)
	}
	all := map[string][]manifest.ID{}
	for i := range list.Items {
		part := &list.Items[i].Spec
		for _, entry := range part.Entries {
			id, err := manifest.ParseEntry(entry)
			if err != nil {
				return nil, err
			}
			all[part.Cluster] = append(all[part.Cluster], id)
		}
	}
	return all, nil
}

// Err returns the exit code of kubectl diff: 1 for differences, 2 if something could not be compared.
func (r Report) Err() error {
	switch {
	case r.Errors > 0:
		return &exit.Error{Code: 2}
	case r.Differing > 0:
		return &exit.Error{Code: 1}
	}
	return nil
}

// signs are those of the actions in text.
var signs = map[diff.Action]string{diff.Create: "+", diff.Modify: "~", diff.Delete: "-"}

// words explain the actions that have no fields to show.
var words = map[diff.Action]string{diff.Create: "is not on the cluster", diff.Delete: "is not wanted there any more"}

// Write writes the report as text.
func (r Report) Write(out io.Writer) error {
	var b strings.Builder
	for _, c := range r.Clusters {
		c.write(&b)
	}
	if r.Differing+r.Errors == 0 {
		compared := 0
		for _, c := range r.Clusters {
			compared += c.Compared
		}
		fmt.Fprintf(&b, "no differences: %s on %s\n", phrase.Count(compared, "object"), phrase.Count(len(r.Clusters), "cluster"))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (c ClusterDiff) write(b *strings.Builder) {
	if len(c.Objects)+len(c.Errors) == 0 {
		return
	}
	fmt.Fprintf(b, "%s: %d of %s %s\n", c.Cluster, len(c.Objects), phrase.Count(c.Compared, "object"), phrase.Plural(len(c.Objects), "differs", "differ"))
	for _, o := range c.Objects {
		line := signs[o.Action] + " " + o.Object + text.WithSuffix(text.WithPrefix(" (", o.At), ")")
		fmt.Fprintln(b, "  "+text.Join(": ", line, words[o.Action]))
		if o.Action == diff.Modify {
			review.WriteHunks(b, o.Hunks)
		}
	}
	for _, e := range c.Errors {
		fmt.Fprintf(b, "  error  %s\n", phrase.Line(text.Join(": ", e.Object, e.Why)))
	}
	for _, h := range c.Held {
		fmt.Fprintf(b, "  held: %s\n", text.Join(": ", h.Object, cmp.Or(h.Why, "held")))
	}
}
