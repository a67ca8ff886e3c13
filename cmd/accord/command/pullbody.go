package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/cmd/accord/review"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// maxPullBody is the number of bytes of the effect in a pull request. All forges accept a longer text.
const maxPullBody = 48_000

// pullBody returns the text of a pull request: the command, the message of the commit, and the effect as of "accord plan". It
// returns a text with an error, too.
func (f *Flags) pullBody(ctx context.Context, h *gitrepo.Repository, c gitrepo.Change, commit string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "This pull request has the commit of one command of accord:\n\n%s", text.CodeBlock("sh", []string{f.commandLine()}))
	for line := range strings.Lines(c.Body) {
		fmt.Fprintf(&b, "\n%s\n", text.MarkdownText(strings.TrimSpace(line)))
	}
	all, err := f.effects(ctx, h, c, commit)
	if err != nil {
		b.WriteString("\naccord could not plan the effect. Run `accord plan` on the branch of this pull request.\n")
		return b.String(), err
	}
	for _, r := range all {
		b.WriteString("\n" + r.Markdown(max(review.MinBudget, maxPullBody/len(all))))
	}
	return b.String(), nil
}

// effects compares the plans before and after the commit, for each Federation with a source in this repository.
func (f *Flags) effects(ctx context.Context, h *gitrepo.Repository, c gitrepo.Change, commit string) ([]*review.Review, error) {
	base, err := h.Commit("HEAD")
	if err != nil {
		return nil, err
	}
	names, err := f.federationNames(ctx, h, c.File)
	if err != nil {
		return nil, err
	}
	before := base.Hash.String()
	var all []*review.Review
	for _, name := range names {
		o := review.Options{
			Tree: load.Flags{Paths: []string{"."}, FleetFile: f.facts.FleetFile, FederationName: name, Tenants: f.facts.Tenants, Live: f.facts.Live}, Hub: f.hub, Base: before, Head: commit,
			Command: []string{"accord", "plan", "--base", before, "--head", commit},
		}
		if name != "" {
			o.Command = append(o.Command, "--federation", strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(h.Root)+"/"))
		}
		r, err := o.Run(ctx, h.Root, f.invoked.ErrOrStderr())
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// federationNames returns the Federations that deliver the repository, as --federation names them: the manifests in Git, else those
// of the hub, else one empty name for the whole repository.
func (f *Flags) federationNames(ctx context.Context, h *gitrepo.Repository, file string) ([]string, error) {
	cache, err := f.facts.Cache()
	if err != nil {
		return nil, err
	}
	head, err := h.HeadFiles(ctx, cache)
	if err != nil {
		return nil, fmt.Errorf("reading HEAD: %w", err)
	}
	var names []string
	for _, fed := range federationsOf(head, h, file, nil) {
		if fed.file != "" {
			names = append(names, filepath.Join(h.Root, filepath.FromSlash(fed.file)))
		}
	}
	if len(names) == 0 && f.hub.Path() != "" {
		to, err := f.hub.Connect()
		if err != nil {
			return nil, err
		}
		all, err := load.FederationsOf(ctx, to, h)
		if err != nil {
			return nil, err
		}
		for _, fed := range all {
			names = append(names, fed.Namespace+"/"+fed.Name)
		}
	}
	if len(names) == 0 {
		names = []string{""}
	}
	return names, nil
}

// ofThisMachine are the flags that mean nothing to the reader of a pull request.
var ofThisMachine = []string{"kubeconfig", "context", "as", "as-group", "request-timeout", "fleet-file", "tenants", "yes", "output", "forge", "forge-url", "forge-api"}

// commandLine returns the command as the user wrote it, with its flags in alphabetical order.
func (f *Flags) commandLine() string {
	args := append(strings.Fields(f.invoked.CommandPath()), f.invoked.Flags().Args()...)
	f.invoked.Flags().Visit(func(flag *pflag.Flag) {
		switch {
		case slices.Contains(ofThisMachine, flag.Name):
		case flag.Value.Type() == "bool":
			args = append(args, "--"+flag.Name)
		default:
			args = append(args, "--"+flag.Name, flag.Value.String())
		}
	})
	return text.CommandLine(args)
}
