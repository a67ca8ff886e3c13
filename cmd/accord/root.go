package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/version"
)

// execute runs one command line. Its exit code is 0 for success, 2 for a usage error or an error of accord itself, and otherwise
// the code that the command documents.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = text.SafeWriter(stdout), text.SafeWriter(stderr)
	hub.SetLogger(slog.New(slog.DiscardHandler)) // a command that runs on sets another one
	root := rootCommand()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		completion.Complete(root) // a function for each of a thousand flags takes 2 ms
	}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	text.WrapHelp(root, text.HelpWidth(stdout))
	return exitCode(root.ExecuteContext(ctx), stderr)
}

// exitCode prints err on stderr, unless the command has printed it, and returns its exit code.
func exitCode(err error, stderr io.Writer) int {
	if err == nil {
		return 0
	}
	code, said := 2, false
	if exit, ok := errors.AsType[*exit.Error](err); ok {
		code, said = exit.Code, exit.Err == nil
	}
	if !said {
		fmt.Fprintln(stderr, "accord:", err)
	}
	return code
}

// rootCommand returns all commands.
func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "accord",
		Short:         "Bring Kubernetes clusters into accord with Git",
		Version:       version.Get().Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	cobra.EnableCommandSorting = false
	for _, g := range commandGroups() {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title + ":"})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(otherCommands)
	root.SetCompletionCommandGroupID(otherCommands)
	text.AddColor(root, "lint", "plan", "why", "deliver", "status", "get", "wait", "history", "check", "diff")
	explainUsage(root)
	if strings.HasPrefix(filepath.Base(os.Args[0]), "kubectl-") { // kubectl runs its plugins by this name
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl accord"}
	}
	return root
}
