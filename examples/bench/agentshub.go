package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
)

// hubUsage holds what both processes of "accord up" use: accord, and its API server with the store.
type hubUsage struct {
	accord, apiserver int64 // bytes of heap in use after a garbage collection, and of goroutine stacks
	resident          int64 // bytes of both, garbage included
}

// String tells the memory in MiB.
func (u hubUsage) String() string {
	return fmt.Sprintf("accord %d MiB, API server %d MiB, both resident %d MiB", u.accord>>20, u.apiserver>>20, u.resident>>20)
}

// hubEffort adds accord alone to the effort of the hub.
type hubEffort struct {
	effort
	own time.Duration // CPU time of accord without its API server
}

// hubUsage returns the memory of the hub now.
func (r *agentsRound) hubUsage(ctx context.Context) (u hubUsage, err error) {
	for of, ask := range map[*int64]func(context.Context, string) ([]byte, error){&u.accord: r.ours.ask, &u.apiserver: r.askAPIServer} {
		for range 2 { // the first collection only makes pools ready to be let go of
			text, err := ask(ctx, "heap?gc=1&debug=1")
			if err != nil {
				return u, err
			}
			*of = runtimeFigure(text, "HeapAlloc") + runtimeFigure(text, "Stack")
		}
	}
	u.resident, err = r.ours.process.memory("VmRSS")
	return u, err
}

// askAPIServer requests a profile of the hub's API server.
func (r *agentsRound) askAPIServer(ctx context.Context, profile string) ([]byte, error) {
	config := r.hub.configs[hubName]
	c, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return r.ours.getProfile(ctx, c, config.Host+"/debug/pprof/"+profile)
}

// resting returns the effort of the hub at rest.
func (r *agentsRound) resting(ctx context.Context) (e hubEffort, err error) {
	before, err := r.ours.process.own()
	if err != nil {
		return e, err
	}
	if e.effort, err = r.spent(ctx, func() error { return pause(ctx, r.rest) }); err != nil {
		return e, err
	}
	after, err := r.ours.process.own()
	e.own = after - before
	return e, err
}

// profileHub takes profiles of the CPU of both processes while something goes on, if profiles are kept; done waits for them.
func (r *agentsRound) profileHub(ctx context.Context, name string, lasts time.Duration) (done func() error) {
	accord := r.profile(ctx, name, lasts)
	if r.profiles == "" {
		return accord
	}
	result := make(chan error, 1)
	go func() {
		text, err := r.askAPIServer(ctx, fmt.Sprintf("profile?seconds=%d", max(1, int(lasts.Seconds()))))
		if err == nil {
			err = r.store(name+"-apiserver.cpu", text)
		}
		result <- err
	}()
	return func() error {
		if err := accord(); err != nil {
			return err
		}
		return <-result
	}
}

// keepHub keeps heap and goroutines of both processes, if profiles are kept.
func (r *agentsRound) keepHub(ctx context.Context, name string) error {
	if r.profiles == "" {
		return nil
	}
	if err := r.keep(ctx, name); err != nil {
		return err
	}
	for what, query := range map[string]string{"heap": "heap?gc=1", "goroutines": "goroutine?debug=1"} {
		text, err := r.askAPIServer(ctx, query)
		if err != nil {
			return err
		}
		if err := r.store(name+"-apiserver."+what, text); err != nil {
			return err
		}
	}
	return nil
}
