// Package command writes the holds, suspensions and rollout commands of a person to Git or to the hub.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/source/forge"
)

// Flags are those of all commands that commit one edited manifest.
type Flags struct {
	output text.FormatFlag
	dir    string
	dryRun bool
	yes    bool
	destination
	// hub and facts have the clusters and previous decisions.
	hub   hub.Flags
	facts load.Flags
	// unchecked is set if the command depends on the state of a rollout, and no hub could be asked for it.
	unchecked bool
	invoked   *cobra.Command
}

func (f *Flags) Register(c *cobra.Command) {
	f.invoked = c
	flags := c.Flags()
	f.output.Register(flags, text.AsText, text.AsJSON)
	flags.StringVar(&f.dir, "dir", "", "directory of the manifest (default the whole work tree)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the patch, and change nothing")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask on a terminal")
	f.destination.register(c)
	f.hub.Register(flags)
	flags.Lookup("kubeconfig").Usage = "kubeconfig of the hub with the clusters and previous decisions (default $" + hub.KubeconfigEnv + ", else no hub)"
	f.facts.RegisterFleetFile(flags)
	flags.StringVar(&f.facts.Tenants, "tenants", "", load.TenantsUsage)
	c.MarkFlagsMutuallyExclusive("fleet-file", "kubeconfig")
	for _, writes := range []string{"push", "pull-request"} {
		c.MarkFlagsMutuallyExclusive("dry-run", writes)
	}
}

// registerOnHub registers the flag of commands that can write to the hub in place of Git.
func registerOnHub(c *cobra.Command, onHub *bool, usage string) {
	c.Flags().BoolVar(onHub, "on-hub", false, usage)
	for _, commits := range []string{"dry-run", "push", "dir", "branch", "pull-request"} {
		c.MarkFlagsMutuallyExclusive("on-hub", commits)
	}
}

// Notes are part of the help of these commands.
const Notes = `
The command finds the manifest in the work tree around the current directory and edits it in place; comments and order stay.
It prints the change as a patch and commits only this file with git, with the hooks and the signature that git is configured for.
On a terminal it asks before the commit, unless --yes, --push or --pull-request is set. With --dry-run it only prints the patch,
which "git apply" accepts. A file with uncommitted changes is an error.

With --branch, the commit is on a new branch that begins at HEAD; your checkout stays as it is. --pull-request also pushes that
branch and opens a pull (merge) request at GitHub, GitLab, Gitea or Forgejo, with the effect of the edit as of "accord plan". The
token is $ACCORD_FORGE_TOKEN, else $GITHUB_TOKEN or $GITLAB_TOKEN.

Before the commit, accord plans HEAD with the edit. If the edit brings an error that the controllers would reject, or something that
the Tenant of the Federation refuses, nothing is written. The Tenants are those of --tenants, --fleet-file or the hub.`

// ForRollout sets up c as a command about a rollout, which is its one argument.
func ForRollout(o *RolloutCommand, c *cobra.Command) *cobra.Command {
	c.Args = cobra.MaximumNArgs(1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return o.run(c.Context(), c.OutOrStdout(), text.First(args))
	}
	o.register(c)
	return c
}

// Result is the result of a command.
type Result struct {
	// File is the path below the root of the work tree; empty for an annotation on the Release.
	File    string `json:"file,omitempty"`
	Subject string `json:"subject"`
	Message string `json:"message,omitempty"`
	Diff    string `json:"diff,omitempty"`
	// Commit is empty for a dry run, and for an annotation.
	Commit string `json:"commit,omitempty"`
	// Branch is the branch of the commit; empty if HEAD is detached.
	Branch string `json:"branch,omitempty"`
	Pushed bool   `json:"pushed"`
	// PullRequest is the URL of the pull request.
	PullRequest string `json:"pullRequest,omitempty"`
	// Note is the reason why the pull request does not have the effect.
	Note string `json:"note,omitempty"`
	// Unchecked reports that no hub was asked whether the command has an effect.
	Unchecked bool `json:"unchecked,omitempty"`
	// Release is the annotated Release, "<namespace>/<name>".
	Release string `json:"release,omitempty"`
	// Cluster is the Cluster that was changed on the hub.
	Cluster string `json:"cluster,omitempty"`

	// shown is set if the question has shown the patch.
	shown bool
	// next is the command that publishes the commit.
	next string
}

// DocumentKind implements text.Document.
func (Result) DocumentKind() string { return "Change" }

// Dir returns the directory of the manifest; empty for the whole work tree.
func (f *Flags) Dir() string { return f.dir }

// Hub returns the flags of the connection to the hub.
func (f *Flags) Hub() *hub.Flags { return &f.hub }

// ReadLive has the effect of a pull request read the live clusters of the Federation by way of live.
func (f *Flags) ReadLive(live *load.Live) { f.facts.Live = live }

// Publishes reports whether the commit is pushed to the current branch, where it counts at once.
func (f *Flags) Publishes() bool { return f.push && f.branch == "" && !f.pull }

// DryRun reports whether the command writes nothing.
func (f *Flags) DryRun() bool { return f.dryRun }

// Commit makes the commit, or only the patch with --dry-run, and prints the result.
func (f *Flags) Commit(ctx context.Context, out io.Writer, h *gitrepo.Repository, c gitrepo.Change) error {
	p, err := h.Propose(ctx, c)
	if err != nil {
		return err
	}
	if err := f.checkPlan(ctx, h, c); err != nil {
		return err
	}
	to, err := f.destination.of(ctx, h, p)
	if err != nil {
		return err
	}
	done := Result{File: c.File, Subject: c.Subject, Message: p.Message, Diff: p.Diff, Branch: to.branch, Unchecked: f.unchecked, next: to.next()}
	if f.dryRun {
		return done.print(out, f.output.Value)
	}
	if f.asks(f.invoked.InOrStdin(), out) {
		if err := f.confirm(ctx, out, done); err != nil {
			return err
		}
		done.shown = true
	}
	if done.Commit, err = to.commit(ctx, p); err != nil {
		return err
	}
	failed := f.publish(ctx, h, c, to, &done)
	return errors.Join(done.print(out, f.output.Value), failed)
}

// publish pushes the commit and opens the pull request, if the flags request it.
func (f *Flags) publish(ctx context.Context, h *gitrepo.Repository, c gitrepo.Change, to target, done *Result) error {
	if !f.push && !f.pull {
		return nil
	}
	if err := to.push(ctx, h); err != nil {
		return err
	}
	done.Pushed = true
	if !f.pull {
		return nil
	}
	body, err := f.pullBody(ctx, h, c, done.Commit)
	if err != nil {
		done.Note = "the pull request does not have the effect: " + err.Error()
	}
	done.PullRequest, err = to.forge.OpenPull(ctx, forge.PullRequest{Title: c.Subject, Body: body, Head: to.branch, Base: to.upstream.Branch})
	if err != nil {
		return fmt.Errorf("the commit was pushed on branch %s, but there is no pull request: %w", to.branch, err)
	}
	return nil
}

func (o Result) print(out io.Writer, f text.Format) error {
	if f == text.AsJSON {
		return text.Encode(out, f, o)
	}
	var b strings.Builder
	if on := cmp.Or(text.WithPrefix("release ", o.Release), text.WithPrefix("cluster ", text.WithSuffix(o.Cluster, " of the hub"))); on != "" {
		fmt.Fprintf(&b, "%s\n  on %s; the controllers act on it at once\n", o.Subject, on)
		_, err := io.WriteString(out, b.String())
		return err
	}
	if !o.shown {
		b.WriteString(o.patch())
	}
	if o.Commit != "" { // a dry run prints nothing else, so that it is a patch
		b.WriteString(o.outcome())
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// patch returns the message and the diff of the commit.
func (o Result) patch() string { return o.Message + "\n" + o.Diff }

// outcome returns the lines about the commit.
func (o Result) outcome() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ncommitted as %s%s", text.ShortRevision(o.Commit), text.WithPrefix(" on ", o.Branch))
	switch {
	case o.Pushed:
		b.WriteString(" and pushed\n")
	default:
		fmt.Fprintf(&b, "; it counts once it is %s\n", o.next)
	}
	if o.PullRequest != "" {
		fmt.Fprintf(&b, "pull request: %s\n", o.PullRequest)
	}
	if o.Note != "" {
		fmt.Fprintln(&b, text.Printable(o.Note))
	}
	if o.Unchecked {
		b.WriteString("not checked: without a hub (--kubeconfig, $" + hub.KubeconfigEnv + ") accord does not know the state of the rollout\n")
	}
	return b.String()
}
