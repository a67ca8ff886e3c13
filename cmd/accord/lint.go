package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/lint"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate"
)

const lintLong = `Find mistakes in manifests and policies, without any cluster.

It reads, decides and renders as the controllers would, for the Clusters that are declared there. The first line
is the verdict; then each finding with the file, line and column it is about, and what to write instead. An error
does not do what it says, a warning probably does not do what was meant, a note is worth knowing.

Without DIR and --repo the current directory is read.

Output: text for people; json is stable; sarif is what code scanning takes (SARIF 2.1.0); github makes annotations of a
pull request out of the log of a workflow.

Exit codes: 0 no errors (or nothing as severe as --fail-on says), 1 errors, 2 usage error or an error of accord itself.`

type lintFlags struct {
	tree   load.Flags
	output text.FormatFlag
	failOn string
}

func lintCommand() *cobra.Command {
	f := &lintFlags{}
	c := &cobra.Command{
		Use:   "lint [DIR | --repo URL]",
		Short: "Find mistakes in manifests and policies, without any cluster",
		Long:  lintLong,
		Example: `  accord lint
  accord lint deploy --path apps --path policies
  accord lint --repo https://github.com/team/prod --branch next
  accord lint --federation prod.yaml --fail-on warning
  accord lint -o github                         # in a GitHub workflow
  accord lint -o sarif > accord.sarif           # for github/codeql-action/upload-sarif`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args))
		},
	}
	f.tree.Register(c)
	f.output.Register(c.Flags(), text.AsText, text.AsJSON, text.AsSARIF, text.AsGitHub)
	c.Flags().StringVar(&f.failOn, "fail-on", "error", "exit 1 on a finding this severe: error, warning, note")
	return c
}

func (f *lintFlags) run(ctx context.Context, out io.Writer, dir string) error {
	limit := propagate.Severity(f.failOn)
	if lint.SeverityRank[limit] == 0 {
		return fmt.Errorf("--fail-on %q: expected error, warning or note", f.failOn)
	}
	t, err := f.tree.Read(ctx, dir)
	if err != nil {
		return err
	}
	if err := f.tree.WriteDump(t); err != nil {
		return err
	}
	report := lint.NewReport(t)
	if err := report.Write(out, f.output.Value); err != nil {
		return err
	}
	if report.HasAtLeast(limit) {
		return &exit.Error{Code: 1}
	}
	return nil
}
