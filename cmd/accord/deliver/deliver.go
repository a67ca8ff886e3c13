// Package deliver has the command that delivers a repository once, without a hub.
package deliver

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
	"github.com/accord-dev/accord/cmd/accord/lint"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/progress"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/reconciler"
	"github.com/accord-dev/accord/status"
)

const long = `Deliver a repository once from a terminal or pipeline, without a hub.

The members are the contexts of --member-kubeconfig, each by its name. A Cluster manifest in the repository sets labels, region
and zones of a member. The namespace and name of the federation identify its objects: use the same ones in every run,
especially with --prune.

Credentials of the repository come from the environment: ACCORD_GIT_USERNAME and ACCORD_GIT_PASSWORD,
ACCORD_GIT_TOKEN (bearer), ACCORD_GIT_CA, ACCORD_GIT_SSH_KEY and ACCORD_GIT_KNOWN_HOSTS (paths of files). They go by
https and SSH only, to the hosts of --repo and of the remotes of the repository around DIR, or to ACCORD_GIT_HOST if it is set.

Accord first sends every change as a server-side dry-run to its cluster. If a cluster rejects an object, accord writes nothing
to any cluster and exits with code 1. --preflight=false skips the dry-run.

As the controllers, accord delivers nothing of a commit with an error that "accord plan" blocks, and exits with code 1. It knows no
earlier commit, so an error that was delivered before blocks, too. --allow CODE delivers in spite of the errors of a check.

The exit codes are those of "accord wait"; 4 and 5 do not need a timeout.`

type flags struct {
	output                     text.FormatFlag
	source                     v1alpha1.Source
	ref                        v1alpha1.Ref
	namespace, name, tenants   string
	prune, preflight           bool
	allow                      []string
	allowHeld                  bool
	kubeconfig, cacheDir, dump string
	wait                       time.Duration
	verbose                    bool
	progress                   *text.ProgressLine
}

// Command returns "accord deliver".
func Command() *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:     "deliver --repo URL|PATH --member-kubeconfig FILE",
		Short:   "Deliver a repository once, without a hub",
		Long:    long,
		Example: "  accord deliver --repo . --member-kubeconfig members.kubeconfig --wait 5m",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	set := c.Flags()
	f.output.Register(set, text.AsText, text.AsJSON)
	set.StringVar(&f.source.URL, "repo", "", "repository: a URL or the path of a local one (required)")
	set.StringVar(&f.source.Path, "path", "", "directory in the repository (default its root)")
	load.RegisterRef(c, &f.ref)
	set.StringVar(&f.namespace, "namespace", "default", "namespace of the federation")
	set.StringVar(&f.name, "name", "", "name of the federation (default the name of the repository; required with --prune)")
	set.BoolVar(&f.prune, "prune", false, "delete objects that are no longer placed or no longer in the repository")
	set.BoolVar(&f.preflight, "preflight", true, "send a server-side dry-run first, and write nothing if a cluster rejects an object")
	set.StringSliceVar(&f.allow, "allow", nil, "deliver in spite of the errors of this check, by its code (repeatable)")
	set.StringVar(&f.tenants, "tenants", "", "file with the Tenants; one of them has to govern the federation and allow everything")
	set.BoolVar(&f.allowHeld, "allow-held", false, "exit with 0 if all missing objects are held")
	set.StringVar(&f.kubeconfig, "member-kubeconfig", "", "kubeconfig whose contexts are the members (required)")
	set.StringVar(&f.cacheDir, "cache-dir", "", "directory of the Git clones (default below the user's cache directory)")
	set.StringVar(&f.dump, "dump", "", "file for the planner's input, for a bug report or a test")
	set.DurationVar(&f.wait, "wait", 5*time.Minute, "time to wait until the objects are healthy; 0 waits until they are applied")
	set.BoolVarP(&f.verbose, "verbose", "v", false, "log every step")
	return c
}

// complete checks the flags and sets their defaults.
func (f *flags) complete() error {
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
	if err := lint.KnownErrors(f.allow); err != nil {
		return fmt.Errorf("--allow: %w", err)
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

func (f *flags) run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := f.complete(); err != nil {
		return err
	}
	o, closeDump, err := f.options(ctx, stderr)
	if err != nil {
		return err
	}
	started := time.Now()
	f.progress.Start()
	result, err := reconciler.Once(ctx, o)
	f.progress.End()
	err = errors.Join(err, closeDump())
	_, mistake := errors.AsType[*manifest.Error](err)
	if _, refused := errors.AsType[*status.RefusalError](err); refused || mistake {
		return &exit.Error{Code: progress.Failed.ExitCode(), Err: err}
	}
	if err != nil {
		return fmt.Errorf("delivering %s: %w", f.source.URL, err)
	}
	now := time.Now()
	s := progress.ReleaseSnapshot(&o.Federation, &result.Release)
	v := progress.Judge(s, progress.Goal{Applied: f.wait == 0, AllowHeld: f.allowHeld, Grace: -time.Hour, Started: started, Deadline: now}, now)
	if len(result.Rejected) > 0 { // nobody tries again, as controllers would
		v = progress.Verdict{Result: progress.Failed}
	}
	report := newReport(&o.Federation, result, v)
	if err := report.print(stdout, f.output.Value, now); err != nil {
		return err
	}
	return progress.ExitError(v)
}
