package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
)

// A planned tree has a plan.
type planned struct {
	*tree
	*propagate.Plan
}

// plan reads and decides, with what the hub knows if there is one. Mistakes in manifests are exit code 1.
func (f *treeFlags) plan(ctx context.Context, dir string, live *liveHub) (*planned, error) {
	t, err := f.read(ctx, dir)
	if err != nil {
		return nil, err
	}
	if t.mistakes != nil {
		return nil, &exitError{code: 1, err: t.mistakes}
	}
	live.inform(ctx, t)
	t.input.Now = time.Now()
	if err := f.dumpInput(t); err != nil {
		return nil, err
	}
	plan, err := propagate.New(t.input)
	if err != nil {
		return nil, &exitError{code: 1, err: err}
	}
	return &planned{t, plan}, nil
}

// dumpInput writes the input to the file that was asked for, if there is one and it can be planned.
func (f *treeFlags) dumpInput(t *tree) (err error) {
	if f.dump == "" || t.mistakes != nil {
		return nil
	}
	file, err := os.Create(f.dump)
	if err != nil {
		return fmt.Errorf("making the dump: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return dump.Write(file, t.input)
}

// checkCluster refuses a name that no Cluster has.
func (p *planned) checkCluster(name string) error {
	names := p.Clusters()
	if slices.Contains(names, name) {
		return nil
	}
	if len(names) == 0 {
		return fmt.Errorf("no cluster %q; %s", name, noClusters)
	}
	return fmt.Errorf("no cluster %q among %s%s", name, count(len(names), "Cluster"), manifest.DidYouMean(name, names))
}

// noClusters is what to do when nothing is declared to place anything on.
const noClusters = "no Cluster is declared: put Cluster manifests beside the others (of Karmada: kubectl get clusters -o yaml), or name a hub with --hub-kubeconfig"

// find is the object that a user means.
func (p *planned) find(o objectName, namespace string) (manifest.ID, error) {
	f := finder{kinds: newKindNames(p.input.Objects), namespace: namespace}
	for i := range p.Decisions {
		f.ids = append(f.ids, p.Decisions[i].ID)
	}
	return f.find(o)
}
