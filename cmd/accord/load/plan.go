package load

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
)

// A planned tree has a plan.
type PlannedTree struct {
	*Tree
	*propagate.Plan
}

// Plan reads and decides, with what the hub knows if there is one. Mistakes in manifests are exit code 1.
func (f *Flags) Plan(ctx context.Context, dir string, live *LiveHub) (*PlannedTree, error) {
	t, err := f.Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	if t.Mistakes != nil {
		return nil, &exit.Error{Code: 1, Err: t.Mistakes}
	}
	live.addToInput(ctx, t)
	t.Input.Now = time.Now()
	if err := f.WriteDump(t); err != nil {
		return nil, err
	}
	plan, err := propagate.New(t.Input)
	if err != nil {
		return nil, &exit.Error{Code: 1, Err: err}
	}
	return &PlannedTree{t, plan}, nil
}

// WriteDump writes the input to the file that was asked for, if there is one and it can be planned.
func (f *Flags) WriteDump(t *Tree) (err error) {
	if f.Dump == "" || t.Mistakes != nil {
		return nil
	}
	file, err := os.Create(f.Dump)
	if err != nil {
		return fmt.Errorf("making the dump: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return dump.Write(file, t.Input)
}

// CheckCluster refuses a name that no Cluster has.
func (p *PlannedTree) CheckCluster(name string) error {
	names := p.Clusters()
	if slices.Contains(names, name) {
		return nil
	}
	if len(names) == 0 {
		return fmt.Errorf("no cluster %q; %s", name, NoClusters)
	}
	return fmt.Errorf("no cluster %q among %s%s", name, text.Count(len(names), "Cluster"), manifest.DidYouMean(name, names))
}

// NoClusters is what to do when nothing is declared to place anything on.
const NoClusters = "no Cluster is declared: put Cluster manifests beside the others (of Karmada: kubectl get clusters -o yaml), or name a hub with --hub-kubeconfig"

// Find is the object that a user means.
func (p *PlannedTree) Find(o ObjectName, namespace string) (manifest.ID, error) {
	f := finder{kinds: newKindNames(p.Input.Objects), namespace: namespace}
	for i := range p.Decisions {
		f.ids = append(f.ids, p.Decisions[i].ID)
	}
	return f.find(o)
}
