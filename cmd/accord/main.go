// Command accord brings many Kubernetes clusters into accord with Git: one binary, one file a command.
// The commands read and print; what is decided is decided in package propagate, what is done is done in
// package reconciler.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"
)

func main() {
	// Kubernetes' packages put flags of their own here, and cobra would show them with every command.
	pflag.CommandLine = pflag.NewFlagSet(os.Args[0], pflag.ContinueOnError)
	os.Exit(accord())
}

// accord runs the command line of this process and returns its exit code. The first SIGINT or SIGTERM
// ends the work in good order, the second kills.
func accord() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}
