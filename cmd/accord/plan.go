package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/review"
	"github.com/accord-dev/accord/cmd/accord/review/post"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/digest"
)

const planLong = `Show how a change affects every cluster, before it is merged.

Plan compares two states of a Git repository, each planned as the controllers do. The default is HEAD and the working tree:
the effect of a commit of all changes. In a pipeline use --base origin/main --head HEAD. A revision is a branch, a tag,
origin/main, HEAD~1 or the first digits of a commit. Plan needs neither git nor a cluster.

The first line is the verdict. The effects of the change follow, and each distinct change once, with its clusters. Values of
Secrets are not shown: a fingerprint, which is new for each run, shows that a value changed.

Facts about the clusters and previous decisions come from the hub (--kubeconfig or $ACCORD_KUBECONFIG). A pipeline without
access to the hub uses --fleet-file, with the output of "accord get clusters,objects -o yaml". Without either, the Cluster
manifests in Git are the fleet. With --federation and the facts of the hub, the digest of head is the one that the
controllers compute for the merged commit; --verify compares it. A Federation manifest in the repository is read at both sides.
--all plans every Federation with a source in this repository, with one output, one comment and the worst exit code.

--server-dry-run also sends every change as a server-side dry-run to every reachable cluster: quota, admission, kinds that are
not served, immutable fields. A dry-run writes nothing, and needs the rights to write. A rejected object blocks the plan. A
cluster that does not answer is listed and does not block.

For objects with a RolloutPolicy, plan shows the stages, the gates, the longest duration and the rollback revisions. --simulate
plays the rollout with the code of the controllers. With --unreachable and --for it also plays the failure of clusters: which
objects move when, and which have no other place. With --unhealthy and --for it plays the failover of unhealthy workloads.
During a staged rollout it names the version that each replacement gets. The flags of "accord run" for failover set what differs
from the defaults on your hub.

--post also writes the plan as one comment on the pull request, which later runs update, and sets the status accord/plan on its
commit. The pull request comes from the environment of GitHub Actions, GitLab CI, Gitea or Forgejo Actions. The token is
$ACCORD_FORGE_TOKEN, else $GITHUB_TOKEN or $GITLAB_TOKEN.

Exit codes, as of kubectl diff: 0 no changes, 1 changes, 2 usage error, an error of accord itself, mistakes in manifests, or a
change that must not be merged. With --fail-on error, a change that may be merged is 0.
With --verify: 0 same digest, 1 another digest, 2 cannot be planned.`

type planFlags struct {
	review.Options
	output text.FormatFlag
	budget int
	failOn review.FailOn
	verify string
	post   post.Flags
}

func planCommand() *cobra.Command {
	f := &planFlags{}
	c := &cobra.Command{
		Use:   "plan [DIR | --repo URL]",
		Short: "Show how a change affects every cluster",
		Long:  planLong,
		Example: `  accord plan                                         # what a commit of the working tree would do
  accord plan --base origin/main --head HEAD           # in a pipeline
  accord plan --federation prod.yaml --fleet-file facts.yaml -o markdown
  accord plan --base origin/main --head HEAD --post    # as a comment on the pull request
  accord plan --base origin/main --head HEAD --all --post # one comment for all Federations
  accord plan --simulate --healthy-after 2m --fail eu-3 # what happens when, if eu-3 does not get healthy
  accord plan --simulate --unreachable eu-7 --for 20m   # what failover does when eu-7 fails
  accord plan --simulate --unhealthy deploy/web@eu-7 --for 20m # what it does when web is unhealthy there
  accord plan --repo https://github.com/team/prod --base main --head next
  accord plan --base HEAD~1 --head HEAD --verify sha256:9c1e...`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), text.First(args))
		},
	}
	flags := c.Flags()
	f.Options.Register(c)
	f.output.Register(flags, text.AsText, text.AsMarkdown, text.AsJSON)
	flags.IntVar(&f.budget, "max-bytes", review.MaxBudget, "maximum size of the Markdown in bytes")
	f.failOn.Register(flags)
	flags.StringVar(&f.verify, "verify", "", "digest to compare with that of head (sha256:...)")
	f.post.Register(flags)
	c.MarkFlagsMutuallyExclusive("verify", "post")
	c.MarkFlagsMutuallyExclusive("verify", "all")
	return c
}

// check returns an error for flags that contradict each other.
func (f *planFlags) check(c *cobra.Command) error {
	switch {
	case f.budget < review.MinBudget || f.budget > review.MaxBudget:
		return fmt.Errorf("--max-bytes %d: expected %d to %d characters", f.budget, review.MinBudget, review.MaxBudget)
	case f.verify != "" && !digest.Valid(f.verify):
		return fmt.Errorf("--verify %q: expected sha256: and 64 hexadecimal digits", f.verify)
	}
	return f.Options.Check(c)
}

func (f *planFlags) run(ctx context.Context, out, stderr io.Writer, dir string) error {
	if f.verify != "" {
		return f.verifyDigest(ctx, out, stderr, dir)
	}
	post := f.post.Open(os.Getenv, f.Instance)
	post.Begin(ctx)
	r, err := f.Review(ctx, dir, stderr)
	if err != nil {
		return errors.Join(err, post.Fail(ctx))
	}
	posted := post.Finish(ctx, r, f.budget)
	if err := r.Print(out, f.output.Value, f.budget); err != nil {
		return err
	}
	if posted != nil {
		return fmt.Errorf("posting the plan failed: %w", posted)
	}
	if code := f.failOn.ExitCode(r.Conclusion()); code != 0 {
		return &exit.Error{Code: code}
	}
	return nil
}

// verifyDigest compares the digest of head with the one of --verify.
func (f *planFlags) verifyDigest(ctx context.Context, out, stderr io.Writer, dir string) error {
	r, err := f.Run(ctx, dir, stderr)
	if err != nil {
		return err
	}
	code, err := r.Verify(out, f.verify)
	if code != 0 && err == nil {
		err = &exit.Error{Code: code}
	}
	return err
}
