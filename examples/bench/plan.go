package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// planning holds the options of the measurement of accord plan.
type planning struct {
	objects int // of the large repository
	rounds  int // of each, of which the median is taken
	accord  string
}

const (
	planObjects, planClusters = 1000, 100 // of the repository that is planned without a cache
	largeClusters             = 10
	planFiles                 = 10 // that the pull request changes
)

// planRun is the cost of one accord plan.
type planRun struct {
	wall, cpu time.Duration
	resident  int64 // bytes at most
}

// planFigures are the medians of each repository.
type planFigures struct {
	planning
	whole, cold, warm planRun
	say               func(what string, r planRun)
}

// runPlan measures accord plan as a pipeline runs it: a process that compares two commits of a checkout, without a hub.
func runPlan(ctx context.Context, p planning, progress io.Writer) (*planFigures, error) {
	dir, err := os.MkdirTemp("", "accord-plan-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if p.accord == "" {
		fmt.Fprintln(progress, "building")
		programs := filepath.Join(dir, "bin")
		if err := build(ctx, programs, "accord"); err != nil {
			return nil, err
		}
		p.accord = filepath.Join(programs, "accord")
	}
	f := &planFigures{planning: p}
	for _, of := range []struct {
		objects, clusters int
		cold, warm        *planRun
	}{{planObjects, planClusters, &f.whole, nil}, {p.objects, largeClusters, &f.cold, &f.warm}} {
		fmt.Fprintf(progress, "accord plan of %d objects on %d clusters\n", of.objects, of.clusters)
		at := filepath.Join(dir, fmt.Sprint(of.objects))
		if err := planRepository(ctx, at, of.objects, of.clusters); err != nil {
			return nil, err
		}
		f.say = func(what string, r planRun) {
			fmt.Fprintf(progress, "  %s: %s, CPU %s, %s\n", what, milliseconds(r.wall), milliseconds(r.cpu), megabytes(r.resident))
		}
		if err := f.measure(ctx, at, of.cold, of.warm); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// planRepository makes a repository with two commits: every object, and ten files with another image.
func planRepository(ctx context.Context, dir string, objects, clusters int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	r := &repository{tree: dir}
	w := workload{namespace: "shop", objects: objects}
	var members strings.Builder
	for i := range clusters {
		fmt.Fprintf(&members, "---\n{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: member-%03d}, spec: {region: r%d}}\n", i, i%2)
	}
	err := errors.Join(
		git(ctx, dir, "init", "--quiet", "--initial-branch=main"),
		r.write("policies/everywhere.yaml", w.policy()), r.write("policies/mirror.yaml", mirror), r.write("clusters.yaml", members.String()))
	for i := range objects {
		err = errors.Join(err, r.writeObject(team(i), w, i, "1.0.0"))
	}
	err = errors.Join(err, git(ctx, dir, "add", "--all"), git(ctx, dir, "commit", "--quiet", "--message", "everything"))
	for n := range planFiles {
		i := n * w.deployments() / planFiles
		err = errors.Join(err, r.writeObject(team(i), w, i, "1.0.1"))
	}
	return errors.Join(err, git(ctx, dir, "commit", "--quiet", "--all", "--message", "another tag"), git(ctx, dir, "repack", "-adq"))
}

// mirror gives half of the clusters another registry.
const mirror = `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata: {name: mirror}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  overrideRules:
  - targetCluster: {fieldSelector: {matchExpressions: [{key: region, operator: In, values: [r1]}]}}
    overriders: {imageOverrider: [{component: Registry, operator: replace, value: mirror.example.com}]}
`

// team returns the directory of object i.
func team(i int) string { return fmt.Sprintf("team-%03d", i/1000) }

// measure runs accord plan with an empty cache and, unless warm is nil, once more with the cache that this left. The output must be
// the same.
func (f *planFigures) measure(ctx context.Context, dir string, cold, warm *planRun) error {
	var colds, warms []planRun
	for range f.rounds {
		cache, err := os.MkdirTemp(filepath.Dir(dir), "cache-")
		if err != nil {
			return err
		}
		first, want, err := f.plan(ctx, dir, cache)
		if err != nil {
			return err
		}
		f.say("empty cache", first)
		if colds = append(colds, first); warm == nil {
			continue
		}
		second, got, err := f.plan(ctx, dir, cache)
		if err != nil {
			return err
		}
		if !bytes.Equal(want, got) {
			return errors.New("accord plan printed something else with a warm cache")
		}
		f.say("warm cache", second)
		warms = append(warms, second)
	}
	*cold = middleRun(colds)
	if warm != nil {
		*warm = middleRun(warms)
	}
	return nil
}

func middleRun(runs []planRun) planRun {
	slices.SortFunc(runs, func(a, b planRun) int { return int(a.wall - b.wall) })
	return runs[len(runs)/2]
}

// plan runs accord plan once and checks that it saw the change.
func (f *planFigures) plan(ctx context.Context, dir, cache string) (planRun, []byte, error) {
	c := exec.CommandContext(ctx, f.accord, "plan", "--base", "HEAD~1", "--head", "HEAD", "--cache-dir", cache, "--fail-on", "error")
	c.Dir, c.Env = dir, append(os.Environ(), "ACCORD_KUBECONFIG=")
	var errs bytes.Buffer
	c.Stderr = &errs
	begun := time.Now()
	out, err := c.Output()
	wall := time.Since(begun)
	if err != nil {
		return planRun{}, nil, fmt.Errorf("accord plan: %w\n%s", err, &errs)
	}
	if want := fmt.Sprintf("%d objects in ", planFiles); !bytes.HasPrefix(out, []byte(want)) {
		return planRun{}, nil, fmt.Errorf("accord plan printed %.100q, not %q", out, want)
	}
	run := planRun{wall: wall, cpu: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	if used, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		run.resident = used.Maxrss << 10
	}
	return run, out, nil
}

// print prints the figures of each repository beside their bars.
func (f *planFigures) print(w io.Writer) error {
	fmt.Fprintf(w, "accord plan, %d files changed, %d objects on %d clusters, p50 of %d\n\n", planFiles, planObjects, planClusters, f.rounds)
	err := printRows(w, f.whole.rows("without a cache", planWhole), planObjects, planClusters)
	fmt.Fprintf(w, "\naccord plan, %d files changed, %d objects on %d clusters, p50 of %d\n\n", planFiles, f.objects, largeClusters, f.rounds)
	rows := slices.Concat(f.cold.rows("with an empty cache", ""), f.warm.rows("with a warm cache", planChange))
	return errors.Join(err, printRows(w, rows, f.objects, largeClusters))
}

func (r planRun) rows(what string, is figure) []row {
	return []row{
		{what: what, ours: milliseconds(r.wall), figure: is, value: r.wall.Seconds()},
		{what: "  CPU", ours: milliseconds(r.cpu)},
		{what: "  resident memory at its peak", ours: megabytes(r.resident)},
	}
}
