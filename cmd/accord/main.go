// Command accord brings many Kubernetes clusters into accord with Git. Package main has one file per command: flags, help and
// exit code. The work is in the packages below it. Package propagate decides, package reconciler acts.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"

	_ "github.com/accord-dev/accord/cmd/accord/start" // postpones the first collection of garbage
)

func main() {
	// Kubernetes' packages register flags here, and cobra would show them with every command.
	pflag.CommandLine = pflag.NewFlagSet(os.Args[0], pflag.ContinueOnError)
	os.Exit(accord())
}

// accord runs the command line of this process and returns its exit code. The first SIGINT or SIGTERM stops the work in an
// orderly way, the second kills the process.
func accord() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
