// Demo plays an example on real API servers: a hub, and members with controllers and nodes that pretend to run pods. Each
// step is a commit pushed to a bare Git repository; after each it prints what a person wants to see, and checks it.
//
//	go run ./examples/demo                  the rollout by suspension
//	go run ./examples/demo staged-rollout   the rollout in stages
//	go run ./examples/demo tenants          two teams, and the attacks that their Tenants refuse
//	go run ./examples/demo failover         a cluster that fails, a hub that is cut off, and a drain
//	go run ./examples/demo pull             clusters whose agents fetch their objects from the hub
//	go run ./examples/demo members          kubectl's verbs on all members at once
//	go run ./examples/demo disaster-recovery a standby that follows production, and takes over
//	go run ./examples/demo --keep           and keep everything up to play with
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	keep := flag.Bool("keep", false, "keep hub and members running at the end, until interrupted")
	flag.Parse()
	if err := run(ctx, cmp.Or(flag.Arg(0), "rollout"), *keep); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1)
	}
}

// run is the demo from the first build to the last cleaning up.
func run(ctx context.Context, name string, keep bool) (err error) {
	at := slices.IndexFunc(examples, func(e example) bool { return e.name == name })
	if at < 0 {
		return fmt.Errorf("no example %q", name)
	}
	dir, err := os.MkdirTemp("", "accord-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &stage{dir: dir, example: examples[at]}
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
	if err := s.example.play(s, ctx); err != nil {
		return err
	}
	if keep {
		s.keep(ctx)
	}
	return nil
}

// example is one that can be played.
type example struct {
	// name is its folder.
	name    string
	members []string
	// flags are those of accord up; links puts a network that can be cut between the hub and each member.
	flags []string
	links bool
	// proxied is the member that the hub reaches through an HTTP proxy; empty for none. It needs links.
	proxied string
	// pull are the members in pull mode, whose agents the demo starts.
	pull []string
	play func(*stage, context.Context) error
}

var examples = []example{
	{name: "rollout", members: []string{"cluster-a", "cluster-b", "cluster-c"}, play: (*stage).rollout},
	{name: "staged-rollout", members: []string{"eu-1", "eu-2", "eu-3", "us-1"}, play: (*stage).stagedRollout},
	{name: "tenants", members: []string{"eu-1", "eu-2", "us-1"}, play: (*stage).tenants},
	{name: "failover", members: []string{"eu-1", "eu-2", "eu-3", "eu-4"}, flags: failoverFlags, links: true, play: (*stage).failover},
	{name: "pull", members: []string{"cluster-a", "cluster-b", "cluster-c"}, pull: []string{"cluster-a", "cluster-b", "cluster-c"}, play: (*stage).pull},
	{name: "disaster-recovery", members: []string{production, standby}, links: true, proxied: production, play: (*stage).disasterRecovery},
	{name: "members", members: []string{"cluster-a", "cluster-b", "cluster-c"}, pull: []string{"cluster-c"}, play: (*stage).members},
}

const (
	// settle bounds the time of a step; heldWait is the time that kubectl waits for a held release.
	settle   = 2 * time.Minute
	heldWait = 3 * time.Second
)
