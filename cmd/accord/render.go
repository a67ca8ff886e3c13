package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/api/manifest"
)

const renderLong = `Print the objects of one cluster exactly as they would be applied, in that order.

Replicas are divided, overrides are done, and the marks of accord are on them. With --explain comments say where each
object stands in Git, and where a field was set by an override: by which policy, rule and line.

Values of Secrets are redacted, in a form that no API server accepts; --show-secrets prints them. What is held or failed is
a comment at the top.

The name of the Federation is part of a mark: without --federation it is the one that "accord apply --once" would use.

Exit codes: 0 rendered, 1 an object could not be rendered, 2 usage error, or there is no such object or cluster.`

// renderFlags of one render.
type renderFlags struct {
	tree        treeFlags
	output      formatFlag
	namespace   string
	cluster     string
	explain     bool
	showSecrets bool
}

func renderCommand() *cobra.Command {
	f := &renderFlags{}
	c := &cobra.Command{
		Use:   "render -c CLUSTER [DIR | --repo URL] [KIND/NAME ...]",
		Short: "Print the objects of one cluster as they would be applied",
		Long:  renderLong,
		Example: `  accord render -c eu-7
  accord render -c eu-7 deploy/web --explain
  accord render -c eu-7 --repo https://github.com/team/prod -o json
  diff <(accord render -c eu-7 --commit $OLD --repo .) <(accord render -c eu-7 --repo .)`,
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr(), args)
		},
	}
	flags := c.Flags()
	f.tree.register(c)
	f.output.register(flags, asYAML, asJSON)
	flags.StringVarP(&f.namespace, "namespace", "n", "", "namespace of the objects (default: any)")
	flags.StringVarP(&f.cluster, "cluster", "c", "", "cluster to render for (required)")
	flags.BoolVar(&f.explain, "explain", false, "say where objects and fields come from")
	flags.BoolVar(&f.showSecrets, "show-secrets", false, "print the values of Secrets")
	return c
}

func (f *renderFlags) run(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	names, dir, err := splitArgs(args)
	switch {
	case err != nil:
		return err
	case f.cluster == "":
		return errors.New("--cluster is required: the one to render for")
	}
	p, err := f.tree.plan(ctx, dir, nil)
	if err != nil {
		return err
	}
	if err := p.checkCluster(f.cluster); err != nil {
		return err
	}
	wanted, err := p.wanted(names, f.namespace, f.cluster)
	if err != nil {
		return err
	}
	r, err := p.newRendering(f, wanted)
	if err != nil {
		return err
	}
	if r.Redacted > 0 {
		fmt.Fprintf(stderr, "the values of %s are redacted: --show-secrets prints them\n", count(r.Redacted, "Secret"))
	}
	if err := r.print(stdout, f.output.value); err != nil {
		return err
	}
	if len(r.Failed) > 0 {
		return &exitError{code: 1}
	}
	return nil
}

// wanted are the objects that were named, each of which has to go to the cluster; nil when all are wanted.
func (p *planned) wanted(names []objectName, namespace, cluster string) (map[manifest.ID]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	wanted := map[manifest.ID]bool{}
	for _, name := range names {
		id, err := p.find(name, namespace)
		if err != nil {
			return nil, err
		}
		d := p.Decision(id)
		for _, c := range d.Chosen {
			wanted[id] = wanted[id] || c.Cluster == cluster
		}
		for _, r := range d.Refused {
			if r.Cluster == cluster {
				return nil, fmt.Errorf("%s does not go to %s: %s (accord why %s -c %[2]s)", id, cluster, r.Why, name)
			}
		}
	}
	return wanted, nil
}

// within says whether an object of the cluster is among the wanted ones.
func within(wanted map[manifest.ID]bool, namespace string, id manifest.ID) bool {
	if wanted != nil {
		return wanted[id]
	}
	return namespace == "" || slices.Contains([]string{namespace}, id.Namespace) || id.Kind == "Namespace" && id.Name == namespace
}
