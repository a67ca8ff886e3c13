package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// faultFigures are how long objects took to be on the members that work, without and with others that do not.
type faultFigures struct {
	members, objects int
	without, with    []time.Duration // of every pair of object and member, over all rounds
	heap             [2]int64        // of accord at the end of the last round without and with, bytes
}

// runFaults delivers to all members, of which the last few have a fault in every other round, and looks at the first ones, which
// never have. What the machine does meanwhile falls on both alike: the rounds are without, with, with, without.
func runFaults(ctx context.Context, s scaling, progress io.Writer) (*faultFigures, error) {
	dir, err := os.MkdirTemp("", "accord-faults-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	programs := filepath.Join(dir, "bin")
	packages := []string{"examples/members"}
	if s.accord == "" {
		packages = append(packages, "cmd/accord")
		s.accord = filepath.Join(programs, "accord")
	}
	fmt.Fprintln(progress, "building")
	if err := build(ctx, programs, packages...); err != nil {
		return nil, err
	}
	f := &faultFigures{members: s.members - len(faults()), objects: s.objects}
	for i, faulty := range []bool{false, true, true, false} {
		fmt.Fprintf(progress, "round %d, faults: %t\n", i+1, faulty)
		at := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(at, 0o700); err != nil {
			return nil, err
		}
		r := &faultRound{faulty: faulty, scaleRound: scaleRound{
			scaling: s, dir: at, say: func(string, ...any) {}, figures: scalePoint{members: f.members, objects: s.objects},
		}}
		took, heap, err := r.run(ctx, filepath.Join(programs, "members"))
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", i+1, err)
		}
		fmt.Fprintf(progress, "round %d: p99 %v\n", i+1, p99(took))
		if faulty {
			f.with, f.heap[1] = append(f.with, took...), heap
		} else {
			f.without, f.heap[0] = append(f.without, took...), heap
		}
	}
	return f, nil
}

func (f *faultFigures) print(to io.Writer) error {
	without, with := p99(f.without), p99(f.with)
	_, err := fmt.Fprintf(to, "%d members that work in every round, %d objects on each; p99 of the time from the push until an object is there\n\n"+
		"| | p99 | heap of accord |\n|---|---|---|\n| all work | %v | %d MiB |\n| %d others do not | %v | %d MiB |\n| ratio (bar: 1.05) | %.3f | |\n",
		f.members, f.objects, without.Round(time.Millisecond), f.heap[0]>>20, len(faults()), with.Round(time.Millisecond), f.heap[1]>>20,
		with.Seconds()/without.Seconds())
	return err
}

func p99(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[(len(took)*99-1)/100]
}

// faultRound is one of them.
type faultRound struct {
	scaleRound
	faulty bool
	stops  []func()
}

// run starts everything, delivers once, and leaves nothing behind.
func (r *faultRound) run(ctx context.Context, control string) (took []time.Duration, heap int64, err error) {
	defer r.close()
	defer func() {
		for _, stop := range r.stops {
			stop()
		}
	}()
	if r.hub, err = startFleet(r.dir, control, "hub", []string{hubName}); err != nil {
		return nil, 0, err
	}
	if r.members, err = startSmall(r.dir, r.scaling.members); err != nil {
		return nil, 0, err
	}
	if err := r.start(ctx); err != nil {
		return nil, 0, err
	}
	healthy, err := r.declare(ctx)
	if err != nil {
		return nil, 0, err
	}
	// The first plan of a federation asks every cluster once what it has, and waits a few seconds for one that is slow.
	if _, err = r.arrivals(ctx, healthy, 0, firstObjects); err != nil {
		return nil, 0, err
	}
	if took, err = r.arrivals(ctx, healthy, firstObjects, r.objects); err != nil {
		return nil, 0, err
	}
	u, err := r.usage(ctx)
	return took, u.heap, err
}

// declare all members, some of them with a fault if there are to be any; it returns the others when they are connected.
func (r *faultRound) declare(ctx context.Context) (map[string]*rest.Config, error) {
	names := slices.Sorted(maps.Keys(r.members.configs))
	healthy := map[string]*rest.Config{}
	given := &fleet{kubeconfigs: map[string]string{}, configs: map[string]*rest.Config{}}
	for i, name := range names {
		config, path := r.members.configs[name], r.members.kubeconfigs[name]
		if ill := i - r.figures.members; ill < 0 {
			healthy[name] = config
		} else if r.faulty {
			if err := r.spoil(faults()[ill], name, &config, &path); err != nil {
				return nil, err
			}
		}
		given.configs[name], given.kubeconfigs[name] = config, path
	}
	objects, err := declarations(given, r.ours.repository.url(), false)
	if err != nil {
		return nil, err
	}
	for _, object := range objects {
		if err := r.ours.declared.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, fmt.Errorf("declaring %T %s: %w", object, object.GetName(), err)
		}
	}
	return healthy, r.poll(ctx, 200*time.Millisecond, func(ctx context.Context) (bool, error) {
		var clusters v1alpha1.ClusterList
		err := r.ours.declared.List(ctx, &clusters)
		connected := 0
		for _, c := range clusters.Items {
			if healthy[c.Name] != nil && meta.IsStatusConditionTrue(c.Status.Conditions, "Ready") {
				connected++
			}
		}
		return connected == len(healthy), err
	})
}

// spoil puts a fault before a member.
func (r *faultRound) spoil(f fault, name string, config **rest.Config, path *string) error {
	spoilt, stop, err := f.serve(*config)
	if err != nil {
		return err
	}
	r.stops = append(r.stops, stop)
	*config, *path = spoilt, filepath.Join(r.dir, "spoilt-"+name)
	if err := clientcmd.WriteToFile(kubeconfigOf(spoilt), *path); err != nil {
		return fmt.Errorf("kubeconfig of %s: %w", name, err)
	}
	return nil
}

// firstObjects are there before anything is measured.
const firstObjects = 6

// arrivals pushes the objects with these numbers and notes when each is on each member that works.
func (r *faultRound) arrivals(ctx context.Context, healthy map[string]*rest.Config, from, to int) ([]time.Duration, error) {
	if err := errors.Join(
		r.ours.repository.writeObjects(r.ours.workload, from, to, "1.0.0"),
		r.ours.repository.push(ctx, fmt.Sprintf("up to %d", to)),
	); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, scaleLimit)
	defer cancel()
	var mu sync.Mutex
	var arrived []time.Time
	note := func() {
		mu.Lock()
		defer mu.Unlock()
		arrived = append(arrived, time.Now())
	}
	for name, config := range healthy {
		if err := r.watch(ctx, config, note); err != nil {
			return nil, fmt.Errorf("watching %s: %w", name, err)
		}
	}
	there := func(n int) error {
		return r.poll(ctx, 50*time.Millisecond, func(context.Context) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			return len(arrived) >= len(healthy)*n, nil
		})
	}
	if err := there(from); err != nil { // a watch tells first what was there before
		return nil, err
	}
	begun := time.Now()
	if err := r.ours.pushed(ctx); err != nil {
		return nil, err
	}
	if err := there(to); err != nil {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	var took []time.Duration
	for _, at := range arrived {
		if at.After(begun) {
			took = append(took, at.Sub(begun))
		}
	}
	return took, nil
}

// watch calls note for every object of ours that is created, until ctx ends.
func (r *faultRound) watch(ctx context.Context, config *rest.Config, note func()) error {
	c, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	for _, kind := range []schema.GroupVersionResource{{Group: "apps", Version: "v1", Resource: "deployments"}, {Version: "v1", Resource: "configmaps"}} {
		w, err := c.Resource(kind).Namespace(r.ours.workload.namespace).Watch(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		go func() {
			for e := range w.ResultChan() {
				if e.Type == apiwatch.Added {
					note()
				}
			}
		}()
	}
	return nil
}
