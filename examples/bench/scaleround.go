package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// scaleLimit bounds each step of a round.
const scaleLimit = 30 * time.Minute

// scaleRound measures one number of members.
type scaleRound struct {
	scaling
	dir     string
	say     func(format string, args ...any)
	hub     *fleet
	members *fleet
	ours    *ourSide
	figures scalePoint
}

// run starts everything, measures, and leaves nothing behind.
func (r *scaleRound) run(ctx context.Context, control string) error {
	defer r.close()
	n := r.figures.members
	r.say("%d members: starting them and a hub", n)
	var err error
	if r.hub, err = startFleet(r.dir, control, "hub", []string{hubName}); err != nil {
		return err
	}
	if r.members, err = startSmall(r.dir, n); err != nil {
		return err
	}
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"the floor", r.floor},
		{"accord with no member", r.start},
		{"accord with all members and nothing on them", r.connect},
		{"everything", r.deliver},
		{"nothing to do", r.idle},
		{"one object changed", r.change},
	} {
		r.say("%d members: %s", n, step.what)
		ctx, cancel := context.WithTimeout(ctx, scaleLimit)
		err := step.do(ctx)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}

func (r *scaleRound) close() {
	if r.ours != nil && r.ours.process != nil {
		r.ours.process.stop()
	}
	for _, f := range []*fleet{r.members, r.hub} {
		if f != nil {
			f.stop()
		}
	}
}

// floor applies the same objects in another namespace, with connections that are open already, as ours are by then.
func (r *scaleRound) floor(context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{asFloor}
	for _, path := range r.members.kubeconfigs {
		args = append(args, path)
	}
	p, err := spawn(r.dir, asFloor, self, args...)
	if err != nil {
		return err
	}
	defer p.stop()
	f := &floorSide{side{workload: workload{namespace: "floor", objects: r.objects}, process: p}}
	if err := f.warm(); err != nil {
		return err
	}
	used, err := p.cpu()
	if err != nil {
		return err
	}
	begun := time.Now()
	o := f.order(0, r.objects, "1.0.0")
	o.Create = true
	if err := f.do(o); err != nil {
		return err
	}
	r.figures.floor.wall = time.Since(begun)
	now, err := p.cpu()
	r.figures.floor.cpu = now - used
	return err
}

// warm opens the connections. The floor opens all at once, and some of a thousand handshakes may not be done in time: those that
// are stay open, so that it gets further each time.
func (f *floorSide) warm() (err error) {
	for range 10 {
		if err = f.do(order{Namespace: "warm", Objects: 6, To: 6, Tag: "1.0.0", Create: true}); err == nil {
			return nil
		}
	}
	return err
}

// start runs accord with a federation that places what is not there yet on members that are not there yet.
func (r *scaleRound) start(ctx context.Context) (err error) {
	r.ours = &ourSide{side: side{workload: workload{namespace: "ours", objects: r.objects}, members: r.members}, dir: r.dir, program: r.accord, hub: r.hub}
	o := r.ours
	if o.repository, err = newRepository(ctx, r.dir); err != nil {
		return err
	}
	if err := o.firstCommit(ctx); err != nil {
		return err
	}
	if o.declared, err = declare(ctx, r.hub.configs[hubName], &fleet{}, o.repository.url(), false); err != nil {
		return err
	}
	if err := o.listen(); err != nil {
		return err
	}
	if err := o.start(); err != nil {
		return err
	}
	if err := o.request(ctx); err != nil {
		return err
	}
	r.figures.alone, err = r.usage(ctx)
	return err
}

// connect declares the members and waits until all are known to be there.
func (r *scaleRound) connect(ctx context.Context) error {
	objects, err := declarations(r.members, federation(r.ours.repository.url(), false))
	if err != nil {
		return err
	}
	r.figures.joining, err = r.spent(ctx, func() error {
		for _, object := range objects {
			if err := r.ours.declared.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("declaring %T %s: %w", object, object.GetName(), err)
			}
		}
		if err := r.poll(ctx, 200*time.Millisecond, r.allConnected); err != nil {
			return err
		}
		return r.calm(ctx)
	})
	if err != nil {
		return err
	}
	r.figures.connected, err = r.usage(ctx)
	return errors.Join(err, r.keep(ctx, "connected"))
}

func (r *scaleRound) allConnected(ctx context.Context) (bool, error) {
	var clusters v1alpha1.ClusterList
	if err := r.ours.declared.List(ctx, &clusters); err != nil {
		return false, err
	}
	return !slices.ContainsFunc(clusters.Items, func(c v1alpha1.Cluster) bool {
		return !meta.IsStatusConditionTrue(c.Status.Conditions, "Ready")
	}), nil
}

// deliver pushes all objects, and waits until they are everywhere and the Release says so.
func (r *scaleRound) deliver(ctx context.Context) error {
	if err := errors.Join(
		r.ours.repository.writeObjects(r.ours.workload, 0, r.objects, "1.0.0"),
		r.ours.repository.push(ctx, "everything"),
	); err != nil {
		return err
	}
	head, err := r.head(ctx)
	if err != nil {
		return err
	}
	done := r.profile(ctx, "delivery", r.rest/3)
	r.figures.cold, err = r.spent(ctx, func() (err error) {
		begun := time.Now()
		if err := r.ours.pushed(ctx); err != nil {
			return err
		}
		if r.figures.applied, err = r.allApplied(ctx, begun); err != nil {
			return err
		}
		if err := r.poll(ctx, 100*time.Millisecond, r.released(head)); err != nil {
			return err
		}
		r.figures.ready = time.Since(begun)
		return r.calm(ctx)
	})
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	r.figures.delivered, err = r.usage(ctx)
	return errors.Join(err, r.keep(ctx, "delivered"))
}

// allApplied returns the time until the last object was applied, by the clock of the members.
func (r *scaleRound) allApplied(ctx context.Context, begun time.Time) (time.Duration, error) {
	var last time.Time
	err := r.poll(ctx, 50*time.Millisecond, func(ctx context.Context) (bool, error) {
		seen, err := r.look(ctx)
		last = seen.written
		return seen.objects["ours"] >= r.figures.pairs(), err
	})
	return last.Sub(begun), err
}

// released says whether the Release of a commit is Ready.
func (r *scaleRound) released(head string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		var releases v1alpha1.ReleaseList
		err := r.ours.declared.List(ctx, &releases, client.MatchingLabels{v1alpha1.RevisionLabelPrefix + federationName: head})
		return err == nil && slices.ContainsFunc(releases.Items, func(one v1alpha1.Release) bool {
			return meta.IsStatusConditionTrue(one.Status.Conditions, "Ready")
		}), err
	}
}

// head is the newest commit.
func (r *scaleRound) head(ctx context.Context) (string, error) {
	c := exec.CommandContext(ctx, "git", "rev-parse", "HEAD")
	c.Dir = r.ours.repository.tree
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// idle watches accord for a while that has nothing to do.
func (r *scaleRound) idle(ctx context.Context) (err error) {
	done := r.profile(ctx, "rest", r.rest)
	r.figures.quiet, err = r.spent(ctx, func() error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(r.rest):
			return nil
		}
	})
	return errors.Join(err, done())
}

// change pushes another tag of one Deployment and waits until all members have been sent it.
func (r *scaleRound) change(ctx context.Context) (err error) {
	if err := errors.Join(
		r.ours.repository.writeObjects(r.ours.workload, 0, 1, "1.0.1"),
		r.ours.repository.push(ctx, "another tag"),
	); err != nil {
		return err
	}
	before, err := r.members.count(ctx)
	if err != nil {
		return err
	}
	r.figures.single, err = r.spent(ctx, func() error {
		begun := time.Now()
		if err := r.ours.pushed(ctx); err != nil {
			return err
		}
		err := r.poll(ctx, 10*time.Millisecond, func(ctx context.Context) (bool, error) {
			now, err := r.members.count(ctx)
			return now.since(before)["APPLY deployments"] >= r.figures.members, err
		})
		r.figures.changed = time.Since(begun)
		return errors.Join(err, r.calm(ctx))
	})
	return err
}
