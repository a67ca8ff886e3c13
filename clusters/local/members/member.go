package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/clusters/local"
	"github.com/accord-dev/accord/clusters/local/controllers"
	"github.com/accord-dev/accord/clusters/local/kwok"
)

// A member is one cluster that this process serves, or one elsewhere that it is attached to.
type member struct {
	name, dir  string
	kubeconfig string // set before start if the cluster runs elsewhere, else by start
	server     string // set by start
	log        *slog.Logger

	plane *local.ControlPlane // nil until started, and if the cluster runs elsewhere
	ends  []func()            // stop functions of controllers and nodes, to be called before the plane stops, newest first
}

// start returns when everything asked for is ready. The caller stops the member even after an error. start calls
// fail if the control plane ends by itself later.
func (m *member) start(ctx context.Context, o options, fail context.CancelCauseFunc) error {
	config, err := m.connect(ctx, fail)
	if err != nil {
		return err
	}
	m.server = config.Host
	if o.controllers {
		stop, err := controllers.Start(ctx, config, controllers.Options{Log: m.log})
		if err != nil {
			return err
		}
		m.ends = append(m.ends, stop)
	}
	if o.nodes > 0 {
		program, err := o.kwok()
		if err != nil {
			return err
		}
		stop, err := kwok.Start(ctx, m.kubeconfig, kwok.Options{Nodes: o.nodes, Program: program, Log: m.log})
		if err != nil {
			return err
		}
		m.ends = append(m.ends, stop)
	}
	return nil
}

// connect starts the control plane, unless the cluster runs elsewhere, and returns the administrator's access.
func (m *member) connect(ctx context.Context, fail context.CancelCauseFunc) (*rest.Config, error) {
	if m.kubeconfig != "" {
		return clientcmd.BuildConfigFromFlags("", m.kubeconfig)
	}
	plane, err := local.Start(ctx, local.Options{Dir: m.dir, Name: m.name, Log: m.log})
	if err != nil {
		return nil, err
	}
	m.plane, m.kubeconfig = plane, plane.Kubeconfig()
	go func() { // ends with the control plane
		<-plane.Done()
		fail(errors.New("the control plane of member " + m.name + " ended"))
	}()
	return plane.Config(), nil
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
