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
	// glance is the interval at which the bench looks for the begin of a bulk delivery.
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
		if err := b.smallDuringBulk(ctx, bulk); err != nil {
			return err
		}
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
// again and again until there are as many figures as pushes. Counted is every change that was known before the bulk was
// through, however long it then took. In between the floor changes one of its own, which tells what the members can do
// meanwhile.
func (b *bench) smallDuringBulk(ctx context.Context, bulk int) error {
	tag := func(patch int) string { return fmt.Sprintf("4.%d.%d", bulk, patch) }
	if err := errors.Join(
		b.ours.repository.write("policies/tag.yaml", b.ours.workload.overrideOthers(tag(0))),
		b.ours.repository.push(ctx, "one tag for all others"),
	); err != nil {
		return err
	}
	delivery := b.ours.seen.expect(b.ours.places(1, b.ours.workload.deployments()))
	if err := b.ours.begin(ctx, delivery); err != nil {
		return err
	}
	for patch := 1; len(b.figures.busy) < b.pushes; patch++ {
		floor, err := b.floor.await(ctx, 0, 1, func() error { return b.floor.do(b.floor.order(0, 1, tag(patch))) })
		if err != nil {
			return err
		}
		if err := b.ours.commitSmall(ctx, tag(patch)); err != nil {
			return err
		}
		left, _ := delivery.missing()
		ours, err := b.ours.await(ctx, 0, 1, func() error { return b.ours.pushed(ctx) })
		if err != nil {
			return err
		}
		if left == 0 {
			break
		}
		b.figures.busy, b.figures.busyFloor = append(b.figures.busy, ours), append(b.figures.busyFloor, floor)
	}
	if _, err := delivery.until(ctx, b.ours.process); err != nil {
		return err
	}
	return b.ours.process.settle(ctx)
}

// begin tells accord of the push and returns when the first object of the delivery was seen.
func (o *ourSide) begin(ctx context.Context, delivery *expectation) error {
	all, _ := delivery.missing()
	if err := o.pushed(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit(all))
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
