package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/review"
	"github.com/accord-dev/accord/cmd/accord/review/post"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const planLong = `Show what a change will do to every cluster, before it is merged.

Two states of a Git repository are planned as the controllers would, and compared. Without flags they are HEAD and the
working tree as it stands: what a commit of everything would do. In a pipeline: --base origin/main --head HEAD. A revision is
what git takes: branch, tag, origin/main, HEAD~1, the first digits of a commit. No git program is needed, and no cluster.

The first line is the verdict; then what the changes mean, and each distinct change once, however many clusters it is in.
What does not change is not shown. No value of a Secret is ever shown: a fingerprint, made anew each time, says "changed".

Which clusters there are, what they serve, and what was decided before come from the hub (--kubeconfig or
$ACCORD_KUBECONFIG); or from a file that "accord get clusters,objects -o yaml" wrote (--fleet-file), so that a pipeline needs no
access to the hub; else the Cluster manifests in Git are all that is known. With --federation and what the hub knows, the
digest of head is the one that the controllers will compute for the merged commit; --verify compares it. A manifest of the
Federation that is in the repository is read at each side.

--server-dry-run also asks every cluster that can be reached what it would refuse, with a server-side dry-run: quota, admission, kinds
and versions that it does not serve, fields that cannot be changed. That writes nothing, and needs the rights to write. What
is refused blocks the plan; a cluster that does not answer is named, and blocks nothing.

Where a RolloutPolicy says in which order clusters get a change, the order is shown: stages, gates, the longest time to finish,
what a rollback would give back. --simulate plays it on made-up reports, with the code of the controllers.

--post also writes the plan as one comment on the pull request, updated in place, and the status accord/plan on its commit.
Where to is found out from the environment of GitHub Actions, GitLab CI, Gitea and Forgejo Actions; the token is
$ACCORD_FORGE_TOKEN, else $GITHUB_TOKEN or $GITLAB_TOKEN.

Exit codes, as of kubectl diff: 0 nothing changes, 1 something does, 2 usage error, an error of accord itself, mistakes in
manifests, or a change that must not be merged as it is. With --fail-on error a change that may be merged is 0.
With --verify: 0 the digest is the same, 1 it is another one, 2 it cannot be planned.`

type planFlags struct {
	review.Options
	output text.FormatFlag
	budget int
	failOn string
	verify string
	post   post.Flags
}

// The values of --fail-on.
const (
	failOnChanges = "changes"
	failOnError   = "error"
)

func planCommand() *cobra.Command {
	f := &planFlags{}
	c := &cobra.Command{
		Use:   "plan [DIR | --repo URL]",
		Short: "Show what a change will do to every cluster",
		Long:  planLong,
		Example: `  accord plan                                         # what a commit of the working tree would do
  accord plan --base origin/main --head HEAD           # in a pipeline
  accord plan --federation prod.yaml --fleet-file facts.yaml -o markdown
  accord plan --base origin/main --head HEAD --post    # as a comment on the pull request
  accord plan --simulate --healthy-after 2m --fail eu-3 # what happens when, if eu-3 does not get healthy
  accord plan --repo https://github.com/team/prod --base main --head next
  accord plan --base HEAD~1 --head HEAD --verify sha256:9c1e...`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f.OwnPaths = c.Flags().Changed("path")
			if err := f.Simulate.Check(c.Flags()); err != nil {
				return err
			}
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), text.First(args))
		},
	}
	flags := c.Flags()
	f.Tree.RegisterPlaces(c)
	f.Hub.Register(flags)
	flags.Lookup("kubeconfig").Usage = "kubeconfig of the hub that knows the clusters and what was decided (default $" + hub.KubeconfigEnv + ", else none is asked)"
	flags.Lookup("federation").Usage = "manifest of the Federation, or its name on the hub"
	flags.Lookup("dump").Usage = "write the planner's whole input for head to this file, and for base beside it, for a bug report"
	f.output.Register(flags, text.AsText, text.AsMarkdown, text.AsJSON)
	flags.StringVar(&f.Base, "base", "", "revision to compare with (default HEAD)")
	flags.StringVar(&f.Head, "head", "", "revision that is reviewed (default the working tree; with --repo the default branch)")
	flags.StringVar(&f.Facts, "fleet-file", "", `what is known of the clusters, from a file that "accord get clusters,objects -o yaml" wrote`)
	flags.StringVar(&f.Instance, "comment-id", "", "tells comments of several plans on one pull request apart (default the name of the Federation)")
	flags.IntVar(&f.budget, "max-bytes", review.MaxBudget, "most characters of the Markdown, in bytes")
	flags.StringVar(&f.failOn, "fail-on", failOnChanges, "changes: exit 1 when anything changes; error: only (with 2) when it must not be merged")
	flags.StringVar(&f.verify, "verify", "", "compare the digest of head with this one (sha256:...)")
	f.post.Register(flags)
	f.DryRun.Register(flags)
	f.Simulate.Register(flags)
	c.MarkFlagsMutuallyExclusive("fleet-file", "kubeconfig")
	c.MarkFlagsMutuallyExclusive("verify", "post")
	return c
}

var (
	planDigest   = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	instanceName = regexp.MustCompile(`^[A-Za-z0-9]+([-._/][A-Za-z0-9]+)*$`)
)

// check returns an error for flags that contradict each other.
func (f *planFlags) check() error {
	switch {
	case !slices.Contains([]string{failOnChanges, failOnError}, f.failOn):
		return fmt.Errorf("--fail-on %q: expected %s or %s", f.failOn, failOnChanges, failOnError)
	case f.budget < review.MinBudget || f.budget > review.MaxBudget:
		return fmt.Errorf("--max-bytes %d: expected %d to %d characters", f.budget, review.MinBudget, review.MaxBudget)
	case f.verify != "" && !planDigest.MatchString(f.verify):
		return fmt.Errorf("--verify %q: expected sha256: and 64 hexadecimal digits", f.verify)
	case f.Instance != "" && !instanceName.MatchString(f.Instance):
		return fmt.Errorf("--comment-id %q: expected letters and digits, with single - . _ / between them", f.Instance)
	}
	return f.DryRun.Check()
}

func (f *planFlags) run(ctx context.Context, out, stderr io.Writer, dir string) error {
	if err := f.check(); err != nil {
		return err
	}
	post := f.post.Open(os.Getenv, f.Instance)
	post.Begin(ctx)
	r, err := f.Run(ctx, dir, stderr)
	if err != nil {
		return errors.Join(err, post.Fail(ctx))
	}
	if f.verify != "" {
		return verifyPlan(out, r, f.verify)
	}
	posted := post.Finish(ctx, r, f.budget)
	if err := r.Print(out, f.output.Value, f.budget); err != nil {
		return err
	}
	if posted != nil {
		return fmt.Errorf("posting the plan failed: %w", posted)
	}
	if code := planExitCode(r.Result, f.failOn); code != 0 {
		return &exit.Error{Code: code}
	}
	return nil
}

// verifyPlan compares the digest of head with the requested one.
func verifyPlan(out io.Writer, r *review.Review, want string) error {
	if r.Result == review.Invalid {
		if err := r.Print(out, text.AsText, review.MaxBudget); err != nil {
			return err
		}
		return &exit.Error{Code: 2}
	}
	if r.After.Digest == want {
		_, err := fmt.Fprintf(out, "the plan of %s is the one asked for: %s\n", r.Head, want)
		return err
	}
	if _, err := fmt.Fprintf(out, "the plan of %s is another one\n  asked for  %s\n  planned    %s\n", r.Head, want, r.After.Digest); err != nil {
		return err
	}
	return &exit.Error{Code: 1}
}

// planExitCode returns the exit code of the result, as kubectl diff does.
func planExitCode(r review.Result, failOn string) int {
	switch {
	case r == review.Unchanged, r == review.Changed && failOn == failOnError:
		return 0
	case r == review.Changed:
		return 1
	}
	return 2
}
