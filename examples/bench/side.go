package main

import (
	"context"
	"time"
)

// side is one of the two that are compared: the floor or ours.
type side struct {
	workload workload
	process  *process // whose CPU is counted
	seen     *observer
	members  *fleet
}

// cost of one change, from the moment it was known until the last member's watch saw it; CPU and requests include
// what the side does afterwards, until it rests.
type cost struct {
	wall, cpu time.Duration
	requests  requests // at the members
}

// changeLimit bounds one change. The slowest known tool needs a quarter of it.
const changeLimit = 15 * time.Minute

// limit bounds the time of some changes at once.
func limit(changes int) time.Duration {
	return changeLimit + time.Duration(changes)*20*time.Millisecond
}

// measure triggers a change of the objects [from, to) and returns what it cost.
func (s *side) measure(ctx context.Context, from, to int, trigger func() error) (cost, error) {
	before, err := s.members.count(ctx)
	if err != nil {
		return cost{}, err
	}
	used, err := s.process.cpu()
	if err != nil {
		return cost{}, err
	}
	wall, err := s.await(ctx, from, to, trigger)
	if err != nil {
		return cost{}, err
	}
	if err := s.process.settle(ctx); err != nil {
		return cost{}, err
	}
	now, err := s.process.cpu()
	if err != nil {
		return cost{}, err
	}
	after, err := s.members.count(ctx)
	return cost{wall: wall, cpu: now - used, requests: after.since(before)}, err
}

// await is the time from the trigger until all members have been seen with something newer of the objects [from, to).
func (s *side) await(ctx context.Context, from, to int, trigger func() error) (time.Duration, error) {
	return s.seen.expect(s.places(from, to)).await(ctx, s.process, trigger)
}

func (s *side) places(from, to int) []place {
	var all []place
	for member := range s.members.configs {
		for i := from; i < to; i++ {
			all = append(all, s.workload.place(member, i))
		}
	}
	return all
}
