package livediff

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const long = `Compare the objects of the clusters with those that a directory renders for them, as "kubectl diff" does for one cluster.

Diff renders as "accord render" does. Each cluster computes its objects after a server-side apply as a dry-run, so that defaults,
admission and fields of other managers are no differences; fields that belong to the member are not compared. A line with + is an object
that the cluster does not have, - an object that accord delivered and the directory does not place there, ~ an object with other
fields: before is live, after is wanted. Values of Secrets are fingerprints, which are new in each run.

Diff connects to the clusters with the credentials on the hub, as "accord plan --server-dry-run" does; you need the right to read these
Secrets. The hub forwards the requests to clusters in pull mode, by your own rights there. With --member-kubeconfig, the contexts of a
kubeconfig are the clusters. The dry-run needs the right to patch the objects. Nothing is written.

Exit codes, as for "kubectl diff": 0 no differences, 1 differences, 2 an object could not be compared, a usage error or an error of
accord itself.`

type flags struct {
	tree   load.Flags
	output text.FormatFlag
	Options
}

// Command returns "accord diff".
func Command() *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "diff [DIR | --repo URL] [KIND/NAME ...]",
		Short: "Compare the objects of clusters with those of a directory",
		Long:  long,
		Example: `  accord diff
  accord diff -C eu-1 deploy/web
  accord diff --repo https://github.com/team/prod -o json`,
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), args, c.Flags().Changed("path"))
		},
	}
	own := c.Flags()
	f.tree.Register(c)
	f.tree.RegisterFacts(c, &f.Hub)
	f.output.Register(own, text.AsText, text.AsJSON, text.AsYAML)
	own.StringSliceVarP(&f.Clusters, "cluster", "C", nil, "compare this cluster only (repeatable)")
	own.StringVarP(&f.Namespace, "namespace", "n", "", "namespace of the named objects (default any)")
	own.StringVar(&f.Members, "member-kubeconfig", "", "kubeconfig whose contexts are the clusters (default those of the hub)")
	own.DurationVar(&f.Timeout, "cluster-timeout", time.Minute, "time for each cluster")
	return c
}

func (f *flags) run(ctx context.Context, stdout, stderr io.Writer, args []string, ownPaths bool) error {
	if f.Timeout <= 0 {
		return errors.New("--cluster-timeout must be positive")
	}
	names, dir, err := load.SplitArgs(args)
	if err != nil {
		return err
	}
	live, err := f.tree.ConnectHub(ctx, &f.Hub, ownPaths)
	if err != nil {
		return err
	}
	p, err := f.tree.Plan(ctx, dir, live)
	if err == nil {
		err = live.FactsErr()
	}
	if mistake, ok := errors.AsType[*exit.Error](err); ok {
		return &exit.Error{Code: 2, Err: mistake.Err} // 1 means differences
	}
	if err != nil {
		return err
	}
	report, err := Run(ctx, f.Options, p, live, names, stderr)
	if err != nil {
		return err
	}
	if err := text.Write(stdout, f.output.Value, report, report.Write); err != nil {
		return err
	}
	return report.Err()
}
