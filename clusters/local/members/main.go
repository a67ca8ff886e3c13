// Members runs control planes for tests, benchmarks and the demo: several in one process, on request with the
// Kubernetes controllers and with nodes that pretend to run pods. Package localtest builds and starts it, so that
// test binaries do not link Kubernetes.
//
//	go run ./clusters/local/members --count 3 --controllers --nodes 2 --dir /tmp/members
//
// For each member that is ready it prints a line of JSON, {"name":...,"kubeconfig":...,"server":...}, and after
// the last one {"ready":true}. It runs until SIGTERM, SIGINT or, if its stdin is a pipe, the end of stdin, so
// that it does not outlive a killed parent. The data stays in the directory: a second start there yields the same
// clusters. With --attach it starts no control plane, and runs controllers and nodes in clusters that exist.
// Progress goes to stderr.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(whileOpen(ctx, os.Stdin), o, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "members:", err)
		cancel()
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	dir         string
	names       []string
	attach      []string // kubeconfigs of clusters that run elsewhere
	controllers bool
	nodes       int
	kwok        func() (program string, err error) // builds kwok once, if nodes are wanted; set by run
	verbose     bool
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("members", flag.ContinueOnError)
	f.SetOutput(stderr)
	count := f.Int("count", 1, "number of members, named member-1 and up")
	names := f.String("names", "", "comma-separated names instead")
	attach := f.String("attach", "", "comma-separated kubeconfigs of running clusters; starts no control plane")
	f.StringVar(&o.dir, "dir", "", "directory for the members' data and kubeconfigs; required without --attach")
	f.BoolVar(&o.controllers, "controllers", false, "run the workload controllers and the scheduler in each member")
	f.IntVar(&o.nodes, "nodes", 0, "number of fake nodes in each member")
	f.BoolVar(&o.verbose, "verbose", false, "log what the components log to stderr")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case *count < 1 || o.nodes < 0:
		return o, errors.New("--count must be at least 1 and --nodes not negative")
	case *attach != "" && o.dir != "":
		return o, errors.New("--attach and --dir are mutually exclusive")
	case *attach != "":
		o.attach = strings.Split(*attach, ",")
		return o, nil
	case o.dir == "":
		return o, errors.New("--dir is required without --attach")
	case *names != "":
		o.names = strings.Split(*names, ",")
		if slices.Contains(o.names, "") {
			return o, fmt.Errorf("--names %s has an empty name", *names)
		}
	default:
		for i := range *count {
			o.names = append(o.names, fmt.Sprintf("member-%d", i+1))
		}
	}
	return o, nil
}

// whileOpen returns a context that ends with ctx and, if in is a pipe, when its other end is closed. Anything
// else on stdin has no effect: a terminal belongs to the shell, and /dev/null is at its end at once.
func whileOpen(ctx context.Context, in *os.File) context.Context {
	info, err := in.Stat()
	if err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() { // ends with the process: a read of a pipe cannot be called off
		defer cancel()
		_, _ = io.Copy(io.Discard, in)
	}()
	return ctx
}
