package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/reconciler/agent"
)

// asAgents as the first argument turns the program into agents.
const asAgents = "agents"

// manyAgents runs an agent for each name until ctx or in ends. Each has its own connections and its own certificate.
func manyAgents(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) error {
	f := flag.NewFlagSet(asAgents, flag.ContinueOnError)
	hub := f.String("hub", "", "directory with a kubeconfig of the hub for each agent")
	members := f.String("members", "", "directory with the kubeconfig of each member")
	names := f.String("names", "", "comma-separated names of the members")
	bare := f.Bool("floor", false, "run a bare hub and bare agents, which carry out the orders on stdin")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *bare {
		return floorAgents(ctx, *members, strings.Split(*names, ","), in, out)
	}
	log := slog.New(slog.NewTextHandler(errs, &slog.HandlerOptions{Level: slog.LevelError}))
	var all []*agent.Agent
	for name := range strings.SplitSeq(*names, ",") {
		up, err := clientcmd.BuildConfigFromFlags("", filepath.Join(*hub, name))
		if err != nil {
			return fmt.Errorf("kubeconfig of agent %s: %w", name, err)
		}
		local, err := clientConfig(filepath.Join(*members, name))
		if err != nil {
			return err
		}
		a, err := agent.New(agent.Options{Cluster: name, Hub: up, Local: local, Tunnel: true, Log: log})
		if err != nil {
			return err
		}
		all = append(all, a)
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() { // ends with the process: a read of a pipe cannot be called off
		defer cancel()
		_, _ = io.Copy(io.Discard, in)
	}()
	var running sync.WaitGroup
	for _, a := range all {
		running.Go(func() { a.Run(ctx) })
	}
	running.Wait()
	return nil
}
