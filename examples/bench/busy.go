package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// maxBulks bounds how many bulk deliveries are tried, should they be over before anything else can change.
	maxBulks = 5
	// glance is how often it is looked whether a bulk delivery has begun.
	glance = 2 * time.Millisecond
)

// busy: one Deployment changes while an override is delivered that touches all others. What it is compared to is the
// same change when accord has nothing else to do.
func (b *bench) busy(ctx context.Context) error {
	// The first Deployment leaves the override, for which nothing else changes.
	if err := b.ours.repository.write("policies/tag.yaml", b.ours.workload.overrideOthers(overriddenTag)); err != nil {
		return err
	}
	if _, err := b.ours.small(ctx, "3.0.0"); err != nil {
		return err
	}
	for push := range b.pushes {
		if err := b.ours.process.settle(ctx); err != nil {
			return err
		}
		wall, err := b.ours.small(ctx, fmt.Sprintf("3.1.%d", push))
		if err != nil {
			return err
		}
		b.figures.quiet = append(b.figures.quiet, wall)
	}
	for bulk := 0; bulk < maxBulks && len(b.figures.busy) < b.pushes; bulk++ {
		walls, err := b.ours.smallDuringBulk(ctx, bulk, b.pushes-len(b.figures.busy))
		if err != nil {
			return err
		}
		b.figures.busy = append(b.figures.busy, walls...)
	}
	return nil
}

// small gives the first Deployment another tag and returns how long that took from the hook.
func (o *ourSide) small(ctx context.Context, tag string) (time.Duration, error) {
	if err := o.commitSmall(ctx, tag); err != nil {
		return 0, err
	}
	return o.await(ctx, 0, 1, func() error { return o.pushed(ctx) })
}

func (o *ourSide) commitSmall(ctx context.Context, tag string) error {
	return errors.Join(o.repository.writeObjects(o.workload, 0, 1, tag), o.repository.push(ctx, "another tag"))
}

// smallDuringBulk has all other Deployments changed and, from when the first member has the first of them, the small one
// again and again, at most so many times. Counted is every change that was known before the bulk was through, however
// long it then took.
func (o *ourSide) smallDuringBulk(ctx context.Context, bulk, most int) (walls []time.Duration, err error) {
	if err := errors.Join(
		o.repository.write("policies/tag.yaml", o.workload.overrideOthers(fmt.Sprintf("4.%d.0", bulk))),
		o.repository.push(ctx, "one tag for all others"),
	); err != nil {
		return nil, err
	}
	delivery := o.seen.expect(o.places(1, o.workload.deployments()))
	if err := o.begin(ctx, delivery); err != nil {
		return nil, err
	}
	for len(walls) < most {
		if err := o.commitSmall(ctx, fmt.Sprintf("4.%d.%d", bulk, len(walls)+1)); err != nil {
			return nil, err
		}
		under, _ := delivery.missing()
		wall, err := o.await(ctx, 0, 1, func() error { return o.pushed(ctx) })
		if err != nil {
			return nil, err
		}
		if under == 0 {
			break
		}
		walls = append(walls, wall)
	}
	if _, err := delivery.until(ctx, o.process); err != nil {
		return nil, err
	}
	return walls, o.process.settle(ctx)
}

// begin tells accord of the push and returns when the first object of the delivery was seen.
func (o *ourSide) begin(ctx context.Context, delivery *expectation) error {
	all, _ := delivery.missing()
	if err := o.pushed(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, changeLimit)
	defer cancel()
	for {
		if left, _ := delivery.missing(); left < all {
			return nil
		}
		select {
		case <-o.process.ended:
			return o.process.complain(errors.New("it ended"))
		case <-ctx.Done():
			return o.process.complain(fmt.Errorf("nothing of a bulk delivery was seen: %w", context.Cause(ctx)))
		case <-time.After(glance):
		}
	}
}
