package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/reconciler"
)

const applyLong = `Deliver a repository from a terminal or pipeline, without a hub: the controllers' whole job, one time.

The members are the contexts of --member-kubeconfig, each by its name; a Cluster manifest in the repository gives a member
labels, region and zones. What belongs to the federation is known by its namespace and name: use the same ones in
every run, above all with --prune.

Credentials of the repository come from the environment: ACCORD_GIT_USERNAME and ACCORD_GIT_PASSWORD,
ACCORD_GIT_TOKEN (bearer), ACCORD_GIT_CA, ACCORD_GIT_SSH_KEY and ACCORD_GIT_KNOWN_HOSTS (paths of files).

Before anything is written, every cluster is asked by server-side dry-runs whether it takes what changes there. If one
refuses an object, nothing is written to any, and the exit code is 1; --preflight=false leaves that out.

Exit codes are those of "accord wait"; 4 and 5 need no time to run out.`

type applyFlags struct {
	output     text.FormatFlag
	source     v1alpha1.Source
	ref        v1alpha1.Ref
	namespace  string
	name       string
	prune      bool
	preflight  bool
	allowHeld  bool
	kubeconfig string
	cacheDir   string
	dump       string
	wait       time.Duration
	verbose    bool
}

func applyCommand() *cobra.Command {
	f := &applyFlags{}
	c := &cobra.Command{
		Use:     "apply --repo URL|PATH --member-kubeconfig FILE",
		Short:   "Deliver from a terminal or pipeline, without a hub",
		Long:    applyLong,
		Example: "  accord apply --repo . --member-kubeconfig members.kubeconfig --wait 5m",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	flags := c.Flags()
	f.output.Register(flags, text.AsText, text.AsJSON)
	flags.StringVar(&f.source.URL, "repo", "", "repository: a URL or the path of a local one (required)")
	flags.StringVar(&f.source.Path, "path", "", "directory in the repository (default its root)")
	load.RegisterRef(c, &f.ref)
	flags.StringVar(&f.namespace, "namespace", "default", "namespace of the federation, part of its identity")
	flags.StringVar(&f.name, "name", "", "name of the federation (default that of the repository; required with --prune)")
	flags.BoolVar(&f.prune, "prune", false, "remove what no policy places any more or what left the repository")
	flags.BoolVar(&f.preflight, "preflight", true, "write nothing anywhere if a cluster refuses something when it is tried")
	flags.BoolVar(&f.allowHeld, "allow-held", false, "exit 0 when all that is missing is held on purpose")
	flags.StringVar(&f.kubeconfig, "member-kubeconfig", "", "kubeconfig whose contexts are the members (required)")
	flags.StringVar(&f.cacheDir, "cache-dir", "", "directory of the Git clones (default below the user's cache directory)")
	flags.StringVar(&f.dump, "dump", "", "write the planner's whole input to this file, for a bug report or a test")
	flags.DurationVar(&f.wait, "wait", 5*time.Minute, "how long to wait for health; 0: applied is enough")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "log what is done")
	return c
}

// complete checks the flags and sets their defaults.
func (f *applyFlags) complete() error {
	switch {
	case f.source.URL == "":
		return errors.New("--repo is required")
	case f.kubeconfig == "":
		return errors.New("--member-kubeconfig is required: its contexts are the members")
	case f.prune && f.name == "":
		return errors.New("--prune requires --name: pruning removes objects of the federation of that name")
	case f.wait < 0:
		return errors.New("--wait must not be negative")
	}
	if f.ref != (v1alpha1.Ref{}) {
		f.source.Ref = &f.ref
	}
	if info, err := os.Stat(f.source.URL); err == nil && info.IsDir() {
		if f.source.URL, err = filepath.Abs(f.source.URL); err != nil {
			return fmt.Errorf("resolving the repository: %w", err)
		}
	}
	f.source.Name = "repo"
	f.name = cmp.Or(f.name, gitrepo.RepositoryName(f.source.URL))
	return nil
}

func (f *applyFlags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := f.complete(); err != nil {
		return err
	}
	o, closeDump, err := f.options(stderr)
	if err != nil {
		return err
	}
	started := time.Now()
	result, err := reconciler.Once(ctx, o)
	err = errors.Join(err, closeDump())
	if _, mistake := errors.AsType[*manifest.Error](err); mistake {
		return &exit.Error{Code: progress.Failed.ExitCode(), Err: err}
	}
	if err != nil {
		return fmt.Errorf("delivering %s: %w", f.source.URL, err)
	}
	now := time.Now()
	s := progress.ReleaseSnapshot(&o.Federation, &result.Release)
	v := progress.Judge(s, progress.Goal{Applied: f.wait == 0, AllowHeld: f.allowHeld, Grace: -time.Hour, Started: started, Deadline: now}, now)
	if len(result.Refused) > 0 { // nobody tries again, as controllers would
		v = progress.Verdict{Result: progress.Failed}
	}
	report := newApplyReport(&o.Federation, result, v)
	if err := report.print(stdout, f.output.Value, now); err != nil {
		return err
	}
	return progress.ExitError(v)
}
