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
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
)

// PlannedTree is a tree and its plan.
type PlannedTree struct {
	*Tree
	*propagate.Plan
}

// Plan reads the manifests and plans them, with the facts of the hub if there is one. Mistakes in manifests end the process with
// exit code 1.
func (f *Flags) Plan(ctx context.Context, dir string, live *LiveHub) (*PlannedTree, error) {
	t, err := f.Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	if t.Mistakes != nil {
		return nil, &exit.Error{Code: 1, Err: t.Mistakes}
	}
	if f.FleetFile != "" {
		if err := f.AddFacts(ctx, dir, t, nil); err != nil {
			return nil, err
		}
	}
	if k := live.addToInput(ctx, t); k != nil || f.FleetFile == "" {
		fed, err := f.Federation(dir)
		if err != nil {
			return nil, err
		}
		g, err := f.Governance(fed, k)
		if err != nil {
			return nil, err
		}
		t.Govern(g)
	}
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

// WriteDump writes the planner's input to the requested file. Without a file, or with mistakes in manifests, it writes nothing.
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

// CheckCluster returns an error if no Cluster has that name.
func (p *PlannedTree) CheckCluster(name string) error {
	names := p.Clusters()
	if slices.Contains(names, name) {
		return nil
	}
	if len(names) == 0 {
		return fmt.Errorf("no cluster %q; %s", name, NoClusters)
	}
	return fmt.Errorf("no cluster %q among %s%s", name, phrase.Count(len(names), "Cluster"), manifest.DidYouMean(name, names))
}

// NoClusters is the message for a plan without Clusters.
const NoClusters = "no Cluster is declared: " + noClustersFix

const noClustersFix = "put Cluster manifests beside the others (accord join NAME --write FILE; of Karmada: kubectl get clusters -o yaml), " +
	"or name a hub with --kubeconfig, or its facts with --fleet-file"

// Find returns the object that a user named.
func (p *PlannedTree) Find(o ObjectName, namespace string) (manifest.ID, error) {
	return find(p.Input, p.Plan, o, namespace)
}

// Finder returns the function that finds the object of KIND/NAME in a plan, which is that of in. An empty namespace means any.
func Finder(in propagate.Input, plan *propagate.Plan) func(kind, name, namespace string) (manifest.ID, error) {
	return func(kind, name, namespace string) (manifest.ID, error) {
		return find(in, plan, ObjectName{kind, name}, namespace)
	}
}

func find(in propagate.Input, plan *propagate.Plan, o ObjectName, namespace string) (manifest.ID, error) {
	f := finder{kinds: newKindNames(in.Objects), namespace: namespace}
	for _, d := range plan.Decisions {
		f.ids = append(f.ids, d.ID)
	}
	return f.find(o)
}
