package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// cold: everything appears on empty members.
func (b *bench) cold(ctx context.Context) (err error) {
	o := b.floor.order(0, b.objects, "1.0.0")
	o.Create = true
	b.figures.cold.floor, err = b.floor.measure(ctx, 0, b.objects, func() error { return b.floor.do(o) })
	if err != nil {
		return err
	}
	empty, err := b.ours.process.memory("VmRSS")
	if err != nil {
		return err
	}
	used, err := b.ours.process.cpu()
	if err != nil {
		return err
	}
	hubBefore, err := b.hub.count(ctx)
	if err != nil {
		return err
	}
	if err := errors.Join(
		b.ours.repository.writeObjects(b.ours.workload, 0, b.objects, "1.0.0"),
		b.ours.repository.push(ctx, "everything"),
	); err != nil {
		return err
	}
	b.figures.cold.ours, err = b.ours.measure(ctx, 0, b.objects, func() error { return b.ours.pushed(ctx) })
	if err != nil {
		return err
	}
	if err := b.ours.recorded(ctx, b.objects); err != nil {
		return err
	}
	now, err := b.ours.process.cpu() // the records included
	if err != nil {
		return err
	}
	b.figures.cold.ours.cpu = now - used
	hubAfter, err := b.hub.count(ctx)
	if err != nil {
		return err
	}
	b.figures.hub = hubAfter.since(hubBefore)
	b.figures.rest, err = b.ours.process.memory("VmRSS")
	b.figures.grown = max(0, b.figures.rest-empty)
	return err
}

// single: one Deployment changes, then another, each when the one before has come to rest.
func (b *bench) single(ctx context.Context) (err error) {
	tag := func(push int) string { return fmt.Sprintf("1.1.%d", push) }
	b.figures.single.floor, err = b.median(ctx, &b.floor.side, func(push, i int) (func() error, error) {
		o := b.floor.order(i, i+1, tag(push))
		return func() error { return b.floor.do(o) }, nil
	})
	if err != nil {
		return err
	}
	b.figures.single.ours, err = b.median(ctx, &b.ours.side, func(push, i int) (func() error, error) {
		err := errors.Join(
			b.ours.repository.writeObjects(b.ours.workload, i, i+1, tag(push)),
			b.ours.repository.push(ctx, "another tag"),
		)
		return func() error { return b.ours.pushed(ctx) }, err
	})
	return err
}

// median is the cost of all pushes together, but for the wall, which is that of the middle one.
func (b *bench) median(ctx context.Context, s *side, prepare func(push, i int) (func() error, error)) (cost, error) {
	before, err := s.members.count(ctx)
	if err != nil {
		return cost{}, err
	}
	used, err := s.process.cpu()
	if err != nil {
		return cost{}, err
	}
	var walls []time.Duration
	for push := range b.pushes {
		i := push % s.workload.deployments()
		trigger, err := prepare(push, i)
		if err != nil {
			return cost{}, err
		}
		wall, err := s.await(ctx, i, i+1, trigger)
		if err != nil {
			return cost{}, err
		}
		walls = append(walls, wall)
		if err := s.process.settle(ctx); err != nil {
			return cost{}, err
		}
	}
	now, err := s.process.cpu()
	if err != nil {
		return cost{}, err
	}
	after, err := s.members.count(ctx)
	return cost{wall: middle(walls), cpu: now - used, requests: after.since(before)}, err
}

// middle is the median; of an even number, the upper one.
func middle(walls []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(walls))[len(walls)/2]
}

// overriddenTag is the one that all Deployments have after override.
const overriddenTag = "2.0.0"

// override: one policy changes the image of all Deployments.
func (b *bench) override(ctx context.Context) (err error) {
	const tag = overriddenTag
	n := b.ours.workload.deployments()
	o := b.floor.order(0, n, tag)
	if b.figures.override.floor, err = b.floor.measure(ctx, 0, n, func() error { return b.floor.do(o) }); err != nil {
		return err
	}
	if err := errors.Join(
		b.ours.repository.write("policies/tag.yaml", b.ours.workload.override(tag)),
		b.ours.repository.push(ctx, "one tag for all"),
	); err != nil {
		return err
	}
	b.figures.override.ours, err = b.ours.measure(ctx, 0, n, func() error { return b.ours.pushed(ctx) })
	return err
}

// quietRounds is the number of reconciles without a change.
const quietRounds = 5

// nothing: reconciliations are asked for, and nothing changed.
func (b *bench) nothing(ctx context.Context) error {
	all, err := b.ours.requestsDuring(ctx, func() error {
		for range quietRounds {
			if err := b.ours.request(ctx); err != nil {
				return err
			}
		}
		return b.ours.process.settle(ctx)
	})
	b.figures.nothing = all.withoutProbes()
	return err
}

// restart: accord ends and starts again, and everything is as it should be already.
func (b *bench) restart(ctx context.Context) (err error) {
	if b.figures.peak, err = b.ours.process.memory("VmHWM"); err != nil {
		return err
	}
	b.figures.restart, err = b.ours.requestsDuring(ctx, func() error {
		b.ours.process.stop()
		if err := b.ours.start(); err != nil {
			return err
		}
		return b.ours.ready(ctx)
	})
	if err != nil {
		return err
	}
	again, err := b.ours.process.memory("VmHWM")
	b.figures.peak = max(b.figures.peak, again)
	return err
}

// requestsDuring returns the requests to the members during happen.
func (s *side) requestsDuring(ctx context.Context, happen func() error) (requests, error) {
	before, err := s.members.count(ctx)
	if err != nil {
		return nil, err
	}
	if err := happen(); err != nil {
		return nil, err
	}
	after, err := s.members.count(ctx)
	return after.since(before), err
}
