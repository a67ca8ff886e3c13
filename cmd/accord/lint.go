package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/lint"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
)

const lintLong = `Find mistakes in manifests and policies, without any cluster.

Lint reads, plans and renders as the controllers do, for the Clusters that the manifests declare. With a hub (--kubeconfig or
$ACCORD_KUBECONFIG), or its facts (--fleet-file, see "accord plan --help"), the clusters of the hub count, too. If there are policies
and no cluster is known, placement cannot be judged: lint prints its findings and exits with 2. The first line is the
verdict. Each finding has the file, line and column, and the fix. An error has no effect or fails, a warning probably has
another effect than intended, a note is information.

Without DIR and --repo, lint reads the current directory. At the root of a repository, and without --path and --federation, lint
asks the hub for the Federations with a source in this repository (the URL of a remote), and checks the paths of each on its own.

Output: text; json is stable; sarif is for code scanning (SARIF 2.1.0); github writes annotations of a pull request into
the log of a workflow.

Exit codes: 0 no errors (or nothing as severe as --fail-on), 1 errors, 2 no cluster is known, a usage error or
an error of accord itself.`

type lintFlags struct {
	tree   load.Flags
	hub    hub.Flags
	output text.FormatFlag
	failOn string
}

func lintCommand() *cobra.Command {
	f := &lintFlags{}
	c := &cobra.Command{
		Use:   "lint [DIR | --repo URL]",
		Short: "Find mistakes in manifests and policies",
		Long:  lintLong,
		Example: `  accord lint
  accord lint deploy --path apps --path policies
  accord lint --repo https://github.com/team/prod --branch next
  accord lint --federation prod.yaml --fail-on warning
  accord lint -o github                         # in a GitHub workflow
  accord lint -o sarif > accord.sarif           # for github/codeql-action/upload-sarif`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args), c.Flags().Changed("path"))
		},
	}
	f.tree.Register(c)
	f.tree.RegisterFacts(c, &f.hub)
	f.output.Register(c.Flags(), text.AsText, text.AsJSON, text.AsSARIF, text.AsGitHub)
	c.Flags().StringVar(&f.failOn, "fail-on", "error", "exit with 1 on a finding of this severity or a higher one: error, warning, note")
	return c
}

func (f *lintFlags) run(ctx context.Context, out io.Writer, dir string, ownPaths bool) error {
	limit := propagate.Severity(f.failOn)
	if lint.SeverityRank[limit] == 0 {
		return fmt.Errorf("--fail-on %q: expected error, warning or note", f.failOn)
	}
	live, err := f.tree.ConnectHub(ctx, &f.hub, ownPaths)
	if err != nil {
		return err
	}
	trees, err := f.tree.Views(ctx, dir, live, ownPaths)
	if err != nil {
		return err
	}
	report := lint.NewReport(trees...)
	if err := report.Write(out, f.output.Value); err != nil {
		return err
	}
	if report.HasAtLeast(limit) {
		return &exit.Error{Code: 1}
	}
	for _, t := range trees {
		if nothing := t.NothingPlanned(); nothing != nil {
			return fmt.Errorf("%s; %s", nothing.Message, nothing.Fix)
		}
	}
	return nil
}
