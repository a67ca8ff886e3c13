// Demo runs the rollout of this example on real API servers: a hub and three members with controllers and nodes that
// pretend to run pods. Each step is a commit pushed to a bare Git repository; after each it prints what a person wants
// to see.
//
//	go run ./examples/rollout/demo          run, and leave nothing behind
//	go run ./examples/rollout/demo --keep   run, and keep everything up to play with
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	keep := flag.Bool("keep", false, "keep hub and members running at the end, until interrupted")
	flag.Parse()
	if err := run(ctx, *keep); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1)
	}
}

// run is the demo from the first build to the last cleaning up.
func run(ctx context.Context, keep bool) (err error) {
	dir, err := os.MkdirTemp("", "accord-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &stage{dir: dir}
	defer func() { s.close(err != nil) }()
	if err := s.build(ctx); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return err
	}
	if err := s.join(ctx); err != nil {
		return err
	}
	if err := s.declare(ctx); err != nil {
		return err
	}
	for _, step := range steps {
		if err := s.play(ctx, step); err != nil {
			return fmt.Errorf("step %s: %w", step.dir, err)
		}
	}
	if keep {
		s.keep(ctx)
	}
	return nil
}

// step is one commit of the example and what is expected of it.
type step struct {
	dir     string
	subject string
	story   string
	held    int // clusters that it leaves held
}

var steps = []step{
	{"1-v1-everywhere", "nginx 1.27.5 on three clusters",
		"One Deployment and one PropagationPolicy, as a Karmada user writes them.", 0},
	{"2-v2-on-c", "nginx 1.28.0, cluster-c first",
		"The image changes; suspension.dispatchingOnClusters holds cluster-a and cluster-b back.", 2},
	{"3-v2-on-b-and-c", "nginx 1.28.0 on cluster-b too",
		"One name less in the suspension.", 1},
	{"4-v2-everywhere", "nginx 1.28.0 everywhere",
		"No suspension any more.", 0},
}

const (
	// settle is how long a step may take to come to rest; heldWait is how long kubectl waits in vain for a held release.
	settle   = 2 * time.Minute
	heldWait = 3 * time.Second
)
