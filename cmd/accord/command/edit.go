// Package command writes the holds, suspensions and rollout commands of a person to Git or to the hub.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// Flags are those of all commands that commit one edited manifest.
type Flags struct {
	output text.FormatFlag
	dir    string
	dryRun bool
	push   bool
	// unchecked is set if the command depends on the state of a rollout, and no hub could be asked for it.
	unchecked bool
}

func (f *Flags) Register(c *cobra.Command) {
	flags := c.Flags()
	f.output.Register(flags, text.AsText, text.AsJSON)
	flags.StringVar(&f.dir, "dir", "", "directory of the manifest (default the whole work tree)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the patch, and change nothing")
	flags.BoolVar(&f.push, "push", false, "push the commit with git")
	c.MarkFlagsMutuallyExclusive("dry-run", "push")
}

// Notes are part of the help of these commands.
const Notes = `
The command finds the manifest in the work tree around the current directory and edits it in place; comments and order stay.
It prints the change as a patch and commits only this file with git, with the hooks and the signature that git is configured for.
With --dry-run it only prints the patch, which "git apply" accepts. A file with uncommitted changes is an error.
Before the commit, accord plans HEAD with the edit. If the edit brings an error that the controllers would reject, nothing is written.`

// ForRollout sets up c as a command about a rollout, which is its one argument.
func ForRollout(o *RolloutCommand, c *cobra.Command) *cobra.Command {
	c.Args = cobra.MaximumNArgs(1)
	c.RunE = func(c *cobra.Command, args []string) error {
		return o.run(c.Context(), c.OutOrStdout(), text.First(args))
	}
	o.register(c)
	return c
}

// result is the result of a command; its JSON form is stable.
type result struct {
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
	// Unchecked reports that no hub was asked whether the command has an effect.
	Unchecked bool `json:"unchecked,omitempty"`
	// Release is the annotated Release, "<namespace>/<name>".
	Release string `json:"release,omitempty"`
}

// commit makes the commit, or only the patch with --dry-run, and prints the result.
func (f *Flags) commit(ctx context.Context, out io.Writer, h *gitrepo.Repository, c gitrepo.Change) error {
	p, err := h.Propose(ctx, c)
	if err != nil {
		return err
	}
	if err := f.checkPlan(ctx, h, c); err != nil {
		return err
	}
	done := result{File: c.File, Subject: c.Subject, Message: p.Message, Diff: p.Diff, Branch: p.Branch(), Unchecked: f.unchecked}
	if !f.dryRun {
		if done.Commit, err = p.Commit(ctx); err != nil {
			return err
		}
	}
	var pushing error
	if f.push {
		pushing = h.Push(ctx)
		done.Pushed = pushing == nil
	}
	return errors.Join(done.print(out, f.output.Value), pushing)
}

func (o result) print(out io.Writer, f text.Format) error {
	if f == text.AsJSON {
		return text.Encode(out, f, o)
	}
	var b strings.Builder
	if o.Release != "" {
		fmt.Fprintf(&b, "%s\n  on release %s; the controllers act on it at once\n", o.Subject, o.Release)
		_, err := io.WriteString(out, b.String())
		return err
	}
	fmt.Fprintf(&b, "%s\n%s", o.Message, o.Diff)
	switch {
	case o.Commit == "": // nothing else, so that it is a patch
	case o.Pushed:
		fmt.Fprintf(&b, "\ncommitted as %s%s and pushed\n", text.ShortRevision(o.Commit), text.WithPrefix(" on ", o.Branch))
	default:
		fmt.Fprintf(&b, "\ncommitted as %s%s; it counts once it is pushed: git push\n", text.ShortRevision(o.Commit), text.WithPrefix(" on ", o.Branch))
	}
	if o.Unchecked && o.Commit != "" {
		b.WriteString("not checked: without a hub (--kubeconfig, $" + hub.KubeconfigEnv + ") accord does not know the state of the rollout\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}
