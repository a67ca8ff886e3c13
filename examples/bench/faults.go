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

// faultFigures are the delivery times to the members that work, over all rounds without and with faulty members.
type faultFigures struct {
	members, objects, pushes int
	without, with            faultTimes
}

// faultTimes are of every pair of object and member.
type faultTimes struct {
	bulk    []time.Duration // of many new objects: with fewer members to work for, this can only get less
	changes []time.Duration // of one object, changed again and again
	heap    int64           // of accord at the end of the last round, bytes
}

func (t *faultTimes) add(more faultTimes) {
	t.bulk, t.changes, t.heap = append(t.bulk, more.bulk...), append(t.changes, more.changes...), more.heap
}

// runFaults delivers to all members, of which the last few have a fault in every other round, and looks at the first ones, which
// never have. What the machine does meanwhile falls on both alike: the rounds are without, with, with, without.
func runFaults(ctx context.Context, s scaling, pushes int, progress io.Writer) (*faultFigures, error) {
	dir, err := os.MkdirTemp("", "accord-faults-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	programs := filepath.Join(dir, "bin")
	packages := []string{"members"}
	if s.accord == "" {
		packages = append(packages, "accord")
		s.accord = filepath.Join(programs, "accord")
	}
	fmt.Fprintln(progress, "building")
	if err := build(ctx, programs, packages...); err != nil {
		return nil, err
	}
	f := &faultFigures{members: s.members - len(faults()), objects: s.objects, pushes: pushes}
	for i, faulty := range []bool{false, true, true, false} {
		fmt.Fprintf(progress, "round %d, faults: %t\n", i+1, faulty)
		at := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(at, 0o700); err != nil {
			return nil, err
		}
		r := &faultRound{faulty: faulty, pushes: pushes, scaleRound: scaleRound{
			scaling: s, dir: at, say: func(string, ...any) {}, figures: scalePoint{members: f.members, objects: s.objects},
		}}
		took, err := r.run(ctx, filepath.Join(programs, "members"))
		if err != nil {
			return nil, fmt.Errorf("round %d: %w", i+1, err)
		}
		fmt.Fprintf(progress, "round %d: p99 %v in bulk, %v of single changes\n", i+1, p99(took.bulk), p99(took.changes))
		if faulty {
			f.with.add(took)
		} else {
			f.without.add(took)
		}
	}
	return f, nil
}

func (f *faultFigures) print(to io.Writer) error {
	line := func(what string, without, with []time.Duration) string {
		a, b := p99(without), p99(with)
		most, mark := row{figure: faultRatio, value: b.Seconds() / a.Seconds()}.verdict(f.objects, f.members)
		return fmt.Sprintf("| %s | %v | %v | %.2f | %s | %s |\n", what, a.Round(time.Millisecond), b.Round(time.Millisecond), b.Seconds()/a.Seconds(), most, mark)
	}
	_, err := fmt.Fprintf(to, "%d members that work in every round, %d objects on each; p99 of the time from the push until an object is there\n\n"+
		"| | all work | %d others do not | ratio | bar | |\n|---|---|---|---|---|---|\n%s%s| heap of accord | %d MiB | %d MiB | | | |\n",
		f.members, f.objects, len(faults()), line("all objects at once", f.without.bulk, f.with.bulk),
		line(fmt.Sprintf("one object, %d times", f.pushes), f.without.changes, f.with.changes), f.without.heap>>20, f.with.heap>>20)
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
	pushes int
	stops  []func()
}

// run starts everything, delivers all, changes some, and leaves nothing behind.
func (r *faultRound) run(ctx context.Context, control string) (took faultTimes, err error) {
	defer r.close()
	defer func() {
		for _, stop := range r.stops {
			stop()
		}
	}()
	if r.hub, err = startFleet(r.dir, control, "hub", []string{hubName}); err != nil {
		return took, err
	}
	if r.members, err = startSmall(r.dir, r.scaling.members); err != nil {
		return took, err
	}
	if err := r.start(ctx); err != nil {
		return took, err
	}
	healthy, err := r.declare(ctx)
	if err != nil {
		return took, err
	}
	// The first plan of a federation asks every cluster once what it has, and waits a few seconds for one that is slow.
	if _, err = r.arrivals(ctx, healthy, 0, firstObjects); err != nil {
		return took, err
	}
	if took.bulk, err = r.arrivals(ctx, healthy, firstObjects, r.objects); err != nil {
		return took, err
	}
	if took.changes, err = r.changes(ctx, healthy); err != nil {
		return took, err
	}
	u, err := r.usage(ctx)
	took.heap = u.heap
	return took, err
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
	objects, err := declarations(given, federation(r.ours.repository.url(), false))
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
	seen, err := r.look(ctx, healthy, apiwatch.Added)
	if err != nil {
		return nil, err
	}
	if err := r.await(ctx, seen, len(healthy)*from); err != nil { // a watch tells first what was there before
		return nil, err
	}
	return r.pushed(ctx, seen, len(healthy)*to)
}

// changes pushes another tag of one Deployment again and again, each when accord has come to rest, and notes when it is on each
// member that works.
func (r *faultRound) changes(ctx context.Context, healthy map[string]*rest.Config) (took []time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, scaleLimit)
	defer cancel()
	seen, err := r.look(ctx, healthy, apiwatch.Modified)
	if err != nil {
		return nil, err
	}
	for push := range r.pushes {
		if err := errors.Join(
			r.ours.process.settle(ctx),
			r.ours.repository.writeObjects(r.ours.workload, 0, 1, fmt.Sprintf("1.1.%d", push)),
			r.ours.repository.push(ctx, "another tag"),
		); err != nil {
			return nil, err
		}
		one, err := r.pushed(ctx, seen, len(healthy)*(push+1))
		if err != nil {
			return nil, err
		}
		took = append(took, one...)
	}
	return took, nil
}

// sights are the times at which watches on the members showed objects.
type sights struct {
	mu sync.Mutex
	at []time.Time
}

func (s *sights) note() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = append(s.at, time.Now())
}

// since returns how long after a moment each later one came, and the number of all.
func (s *sights) since(moment time.Time) (took []time.Duration, all int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.at {
		if at.After(moment) {
			took = append(took, at.Sub(moment))
		}
	}
	return took, len(s.at)
}

// pushed tells accord of a push, and waits until so many objects were seen in all. It returns how long those took that were
// seen after the push.
func (r *faultRound) pushed(ctx context.Context, seen *sights, n int) ([]time.Duration, error) {
	begun := time.Now()
	if err := errors.Join(r.ours.pushed(ctx), r.await(ctx, seen, n)); err != nil {
		return nil, err
	}
	took, _ := seen.since(begun)
	return took, nil
}

func (r *faultRound) await(ctx context.Context, seen *sights, n int) error {
	return r.poll(ctx, 50*time.Millisecond, func(context.Context) (bool, error) {
		_, all := seen.since(time.Now())
		return all >= n, nil
	})
}

// look notes what happens to objects of ours on some members, until ctx ends.
func (r *faultRound) look(ctx context.Context, members map[string]*rest.Config, what apiwatch.EventType) (*sights, error) {
	seen := &sights{}
	for name, config := range members {
		if err := r.watch(ctx, config, what, seen.note); err != nil {
			return nil, fmt.Errorf("watching %s: %w", name, err)
		}
	}
	return seen, nil
}

// watch calls note for every such event of an object of ours, until ctx ends.
func (r *faultRound) watch(ctx context.Context, config *rest.Config, what apiwatch.EventType, note func()) error {
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
				if e.Type == what {
					note()
				}
			}
		}()
	}
	return nil
}
