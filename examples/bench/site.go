package main

import (
	"context"
	"os"
	"path/filepath"
)

// site is a hub, its members, and the two that change what is on them.
type site struct {
	hub, members *fleet
	floor        *floorSide
	ours         *ourSide
}

// open starts a site in a directory of its own; args go to the program of the members. Its watches end with ctx, and
// what is started is ended by close.
func (b *bench) open(ctx context.Context, name string, members, objects int, args ...string) (_ *site, err error) {
	dir := filepath.Join(b.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	s := &site{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	b.say("starting a hub and %d members", members)
	if s.hub, err = startFleet(dir, b.control, "hub", []string{hubName}); err != nil {
		return nil, err
	}
	if s.members, err = b.startMembers(dir, members, args...); err != nil {
		return nil, err
	}
	b.say("starting the floor")
	if s.floor, err = startFloor(ctx, dir, s.members, workload{namespace: "floor", objects: objects}); err != nil {
		return nil, err
	}
	b.say("starting accord")
	s.ours, err = startOurs(ctx, dir, b.accord, s.hub, s.members, workload{namespace: "ours", objects: objects, directories: b.directories}, b.preflight)
	return s, err
}

// close ends what was started, newest first.
func (s *site) close() {
	if s.ours != nil {
		s.ours.process.stop()
	}
	if s.floor != nil {
		s.floor.process.stop()
	}
	for _, f := range []*fleet{s.members, s.hub} {
		if f != nil {
			f.stop()
		}
	}
}
