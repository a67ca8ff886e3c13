package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
)

// floorSide is the bare program, given orders.
type floorSide struct{ side }

// startFloor runs this program once more, as the floor, and has it apply six objects elsewhere, so that connections,
// discovery and the members' caches are warm for both sides.
func startFloor(ctx context.Context, dir string, members *fleet, w workload) (*floorSide, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var kubeconfigs []string
	for _, name := range slices.Sorted(maps.Keys(members.kubeconfigs)) {
		kubeconfigs = append(kubeconfigs, members.kubeconfigs[name])
	}
	p, err := spawn(dir, asFloor, self, append([]string{asFloor}, kubeconfigs...)...)
	if err != nil {
		return nil, err
	}
	f := &floorSide{side{workload: w, process: p, members: members}}
	if f.seen, err = observe(ctx, members.configs, w.namespace); err == nil {
		err = f.do(order{Namespace: "warm", Objects: 6, To: 6, Tag: "1.0.0", Create: true})
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	return f, nil
}

// do gives an order and returns when it is carried out.
func (f *floorSide) do(o order) error {
	if err := json.NewEncoder(f.process.stdin).Encode(o); err != nil {
		return f.process.complain(err)
	}
	var r receipt
	if err := f.process.read(&r); err != nil {
		return err
	}
	if r.Err != "" {
		return errors.New("floor: " + r.Err)
	}
	return nil
}

// order is for the objects [from, to) of the floor's workload.
func (f *floorSide) order(from, to int, tag string) order {
	return order{Namespace: f.workload.namespace, Objects: f.workload.objects, From: from, To: to, Tag: tag}
}
