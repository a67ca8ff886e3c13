package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/examples/bench/livesource"
)

// asFollower as the first argument turns the program into the floor of --live-source.
const asFollower = "follower"

// follower is the floor of --live-source. Its arguments are the kubeconfigs of production and of the standby, and the namespace.
func follower(ctx context.Context, args []string, errs io.Writer) error {
	if len(args) != 3 {
		return fmt.Errorf("%s: 3 arguments are required", asFollower)
	}
	from, err := clientConfig(args[0])
	if err != nil {
		return err
	}
	to, err := clientConfig(args[1])
	if err != nil {
		return err
	}
	return livesource.Follow(ctx, from, to, args[2], func(err error) { fmt.Fprintln(errs, err) })
}

// following holds the options of the measurement of a live source.
type following struct {
	wanted                 bool
	objects, changes, rate int
	accord, profiles       string
}

const (
	productionName, standbyName = "production", "standby"
	// liveChangeLimit bounds the time until the standby has the last change.
	liveChangeLimit = time.Minute
)

// followRound is the cost of one load.
type followRound struct {
	took []time.Duration
	cpu  time.Duration
	peak int64 // resident bytes at most
}

// liveFigures are those of a live source beside those of the floor.
type liveFigures struct {
	following
	floor, ours         followRound
	standby, production requests // of accord, by the load
	hub                 requests // by the load
	restart             requests // at the standby
	relisted            requests // at production, by the restart
}

// liveBench is production, the standby and the hub while they are measured.
type liveBench struct {
	*bench
	asked               following
	production, standby *fleet
	hub                 *fleet
	figures             liveFigures
}

// runLiveSource measures a standby that follows a production cluster, first with the floor, then with accord.
func runLiveSource(ctx context.Context, o following, progress io.Writer) (_ *liveFigures, err error) {
	dir, err := os.MkdirTemp("", "accord-live-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := &liveBench{bench: &bench{options: options{accord: o.accord, profiles: o.profiles}, dir: dir, progress: progress}, asked: o, figures: liveFigures{following: o}}
	if err := b.build(ctx); err != nil {
		return nil, err
	}
	b.say("starting a hub, production and a standby")
	for name, f := range map[string]**fleet{hubName: &b.hub, productionName: &b.production, standbyName: &b.standby} {
		if *f, err = startFleet(dir, b.control, name, []string{name}); err != nil {
			return nil, err
		}
		defer (*f).stop()
	}
	if err := b.measureFloor(ctx); err != nil {
		return nil, fmt.Errorf("the floor: %w", err)
	}
	if err := b.measureOurs(ctx); err != nil {
		return nil, err
	}
	return &b.figures, nil
}

// fill creates the objects of one side in production, and observes their namespace on the standby.
func (b *liveBench) fill(ctx context.Context, w workload) ([]*unstructured.Unstructured, *livesource.Standby, error) {
	b.say("creating %d objects in production", w.objects)
	var objects []*unstructured.Unstructured
	for i := range w.objects {
		objects = append(objects, w.object(i, "1.0.0"))
	}
	if err := livesource.Create(ctx, b.production.configs[productionName], w.space(), objects); err != nil {
		return nil, nil, err
	}
	seen, err := livesource.Observe(ctx, b.standby.configs[standbyName], w.namespace)
	return objects, seen, err
}

// round waits until the standby has all objects and p rests, and then loads production.
func (b *liveBench) round(ctx context.Context, p *process, objects []*unstructured.Unstructured, seen *livesource.Standby) (r followRound, err error) {
	b.say("waiting until the standby has all objects")
	for begun := time.Now(); seen.Objects() < len(objects); time.Sleep(pollPause) {
		if time.Since(begun) > changeLimit {
			return r, p.complain(fmt.Errorf("the standby has %d of %d objects", seen.Objects(), len(objects)))
		}
	}
	if err := p.settle(ctx); err != nil {
		return r, err
	}
	b.say("%d changes, %d a second", b.asked.changes, b.asked.rate)
	before, err := p.cpu()
	if err != nil {
		return r, err
	}
	load := livesource.Load{Changes: b.asked.changes, Rate: b.asked.rate, Patience: liveChangeLimit}
	if r.took, err = load.Run(ctx, b.production.configs[productionName], objects, seen); err != nil {
		return r, p.complain(err)
	}
	if err := p.settle(ctx); err != nil {
		return r, err
	}
	after, err := p.cpu()
	if err != nil {
		return r, err
	}
	r.cpu = after - before
	r.peak, err = p.memory("VmHWM")
	return r, err
}

func (b *liveBench) measureFloor(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := workload{namespace: "floor", objects: b.asked.objects}
	objects, seen, err := b.fill(ctx, w)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	b.say("starting the floor")
	p, err := spawn(b.dir, asFollower, self, asFollower, b.production.kubeconfigs[productionName], b.standby.kubeconfigs[standbyName], w.namespace)
	if err != nil {
		return err
	}
	defer p.stop()
	b.figures.floor, err = b.round(ctx, p, objects, seen)
	return err
}

func (b *liveBench) measureOurs(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := workload{namespace: "ours", objects: b.asked.objects}
	objects, seen, err := b.fill(ctx, w)
	if err != nil {
		return err
	}
	b.say("starting accord")
	o := &ourSide{side: side{workload: w, members: b.standby}, dir: b.dir, program: b.accord, hub: b.hub}
	if err := b.declare(ctx, o); err != nil {
		return err
	}
	if err := errors.Join(o.listen(), o.start()); err != nil {
		return err
	}
	defer func() { o.process.stop() }() // the newest one
	if err := b.load(ctx, o, objects, seen); err != nil {
		return err
	}
	return b.restarts(ctx, o)
}

// load measures the changes.
func (b *liveBench) load(ctx context.Context, o *ourSide, objects []*unstructured.Unstructured, seen *livesource.Standby) (err error) {
	if err := o.ready(ctx); err != nil {
		return err
	}
	if err := o.recorded(ctx, len(objects)); err != nil {
		return err
	}
	counted := map[*fleet]*requests{b.hub: &b.figures.hub, b.standby: &b.figures.standby, b.production: &b.figures.production}
	before := map[*fleet]requests{}
	for f := range counted {
		if before[f], err = f.count(ctx); err != nil {
			return err
		}
	}
	b.site = &site{ours: o} // for its profiles
	stored := b.profile(ctx, "live")
	if b.figures.ours, err = b.round(ctx, o.process, objects, seen); err != nil {
		return err
	}
	for f, into := range counted {
		after, err := f.count(ctx)
		if err != nil {
			return err
		}
		*into = after.since(before[f])
	}
	return stored()
}

// declare declares both clusters, and a Federation of which production is the source.
func (b *liveBench) declare(ctx context.Context, o *ourSide) (err error) {
	if o.repository, err = newRepository(ctx, b.dir); err != nil {
		return err
	}
	if err := o.firstCommit(ctx); err != nil {
		return err
	}
	both := &fleet{kubeconfigs: maps.Clone(b.production.kubeconfigs), configs: maps.Clone(b.production.configs)}
	maps.Copy(both.kubeconfigs, b.standby.kubeconfigs)
	maps.Copy(both.configs, b.standby.configs)
	fed := federation(o.repository.url(), false)
	fed.Spec.Sources = append(fed.Spec.Sources, v1alpha1.Source{
		Name: productionName, Cluster: &v1alpha1.ClusterSource{Name: productionName, Namespaces: []string{o.workload.namespace}, Kinds: []string{"ConfigMap", "apps/Deployment"}},
	})
	fed.Spec.Interval = metav1.Duration{Duration: 24 * time.Hour}
	o.declared, err = declareFederation(ctx, b.hub.configs[hubName], both, fed, tenants(o.workload)...)
	return err
}

// restarts ends accord, and starts it again, while nothing changes.
func (b *liveBench) restarts(ctx context.Context, o *ourSide) error {
	b.say("a restart")
	before, err := b.production.count(ctx)
	if err != nil {
		return err
	}
	if b.figures.restart, err = o.requestsDuring(ctx, func() error {
		o.process.stop()
		if err := o.start(); err != nil {
			return err
		}
		return o.ready(ctx)
	}); err != nil {
		return err
	}
	after, err := b.production.count(ctx)
	b.figures.relisted = after.since(before)
	return err
}

// print prints the figures, each beside its bar.
func (f *liveFigures) print(w io.Writer) error {
	fmt.Fprintf(w, "%d objects in production, %d changes, %d a second\n\n", f.objects, f.changes, f.rate)
	if err := printRows(w, f.rows(), f.objects, 1); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nrequests by the changes at the standby: %s\nat the hub: %s\nof a restart at the standby: %s\nat production: %s\n",
		f.standby, f.hub, f.restart, f.relisted)
	return err
}

func (f *liveFigures) rows() []row {
	took := func(what string, of func([]time.Duration) time.Duration, is figure) row {
		floor, ours := of(f.floor.took), of(f.ours.took)
		return row{what: what, floor: milliseconds(floor), ours: milliseconds(ours), ratio: ratio(ours, floor), figure: is, value: ours.Seconds() * 1000}
	}
	// The bench changes production, once for each change.
	written := f.production.changing() - f.changes
	return []row{
		took("change in production -> on the standby, p50", middle, liveMedian),
		took("  p99", p99, liveMost),
		compared{floor: cost{cpu: f.floor.cpu}, ours: cost{cpu: f.ours.cpu}}.cpu("CPU per change", f.changes, ""),
		{what: "writes at the standby per change", floor: "1.00", ours: fmt.Sprintf("%.2f", per(f.standby.changing(), f.changes))},
		{what: "writes at the hub per change", floor: "0", ours: fmt.Sprintf("%.2f", per(f.hub.changing(), f.changes))},
		counted("writes at production", written, liveProduction),
		counted("writes of a restart at the standby", f.restart.changing(), restartWrites),
		{what: "resident memory at its peak", floor: megabytes(f.floor.peak), ours: megabytes(f.ours.peak)},
	}
}
