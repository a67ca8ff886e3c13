package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/accord-dev/accord/clusters/local"
	"github.com/accord-dev/accord/clusters/local/controllers"
	"github.com/accord-dev/accord/clusters/local/kwok"
)

// A member is one cluster of this process.
type member struct {
	name, dir string
	log       *slog.Logger

	plane *local.ControlPlane // nil until started
	ends  []func()            // what runs against it, to be ended first, newest first
}

// start returns when everything asked for is ready. What was started by then has to be stopped even after an
// error. Should the control plane end by itself later, that is told to fail.
func (m *member) start(ctx context.Context, o options, fail context.CancelCauseFunc) (err error) {
	if m.plane, err = local.Start(ctx, local.Options{Dir: m.dir, Name: m.name, Log: m.log}); err != nil {
		return err
	}
	go func() { // ends with the control plane
		<-m.plane.Done()
		fail(errors.New("the control plane of member " + m.name + " ended"))
	}()
	if o.controllers {
		stop, err := controllers.Start(ctx, m.plane.Config(), controllers.Options{Log: m.log})
		if err != nil {
			return err
		}
		m.ends = append(m.ends, stop)
	}
	if o.nodes > 0 {
		stop, err := kwok.Start(ctx, m.plane.Kubeconfig(), kwok.Options{Nodes: o.nodes, Log: m.log})
		if err != nil {
			return err
		}
		m.ends = append(m.ends, stop)
	}
	return nil
}

func (m *member) stop() error {
	for _, end := range slices.Backward(m.ends) {
		end()
	}
	if m.plane == nil {
		return nil
	}
	return m.plane.Stop()
}
