package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// orderFlags are those of the commands that write to Git what somebody orders: one edited manifest, as a commit.
type orderFlags struct {
	output formatFlag
	dir    string
	dryRun bool
	push   bool
}

func (f *orderFlags) register(c *cobra.Command) {
	flags := c.Flags()
	f.output.register(flags, asText, asJSON)
	flags.StringVar(&f.dir, "dir", "", "look for the manifest below this directory only (default the whole work tree around the current one)")
	flags.BoolVar(&f.dryRun, "dry-run", false, "print the change as a patch, and change nothing")
	flags.BoolVar(&f.push, "push", false, "push the commit with git")
	c.MarkFlagsMutuallyExclusive("dry-run", "push")
}

// orderNotes are said by each of these commands.
const orderNotes = `
The manifest is looked for in the work tree around the current directory and edited in place; comments and order stay. The
change is printed as a patch and committed alone with git, whatever else is staged, with the hooks and the signature that git is
configured for. With --dry-run it is only printed: "| git apply" takes it. A file with changes that are not
committed is refused.`

// ordering is c for an order about a rollout, which is its one argument.
func ordering(o *rolloutOrder, c *cobra.Command) *cobra.Command {
	c.Args = cobra.MaximumNArgs(1)
	c.RunE = func(c *cobra.Command, args []string) error { return o.run(c.Context(), c.OutOrStdout(), firstOf(args)) }
	o.register(c)
	return c
}

// An ordered is what became of an order; its JSON form is stable.
type ordered struct {
	// File below the root of the work tree; empty for an annotation on the Release.
	File    string `json:"file,omitempty"`
	Subject string `json:"subject"`
	Message string `json:"message,omitempty"`
	Diff    string `json:"diff,omitempty"`
	// Commit is empty for a dry run, and for an annotation.
	Commit string `json:"commit,omitempty"`
	// Branch that has it; empty when HEAD is detached.
	Branch string `json:"branch,omitempty"`
	Pushed bool   `json:"pushed"`
	// Release that was annotated, "<namespace>/<name>".
	Release string `json:"release,omitempty"`
}

// carryOut makes the commit, or shows it, and prints what became of it.
func (f *orderFlags) carryOut(ctx context.Context, out io.Writer, h *history, c change) error {
	p, err := h.propose(ctx, c)
	if err != nil {
		return err
	}
	done := ordered{File: c.file, Subject: c.subject, Message: p.message, Diff: p.diff, Branch: p.branch()}
	if !f.dryRun {
		if done.Commit, err = p.commit(ctx); err != nil {
			return err
		}
	}
	var pushing error
	if f.push {
		pushing = h.push(ctx)
		done.Pushed = pushing == nil
	}
	return errors.Join(done.print(out, f.output.value), pushing)
}

func (o ordered) print(out io.Writer, f format) error {
	if f == asJSON {
		return encode(out, f, o)
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
		fmt.Fprintf(&b, "\ncommitted as %s%s and pushed\n", short(o.Commit), prefixed(" on ", o.Branch))
	default:
		fmt.Fprintf(&b, "\ncommitted as %s%s; it counts once it is pushed: git push\n", short(o.Commit), prefixed(" on ", o.Branch))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
