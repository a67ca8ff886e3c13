// Package clusterimport reads live clusters and writes their objects as manifests and policies for Git. It writes nothing to a cluster.
package clusterimport

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/exit"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/propagate/importer"
)

const long = `Read live clusters, and write their objects as manifests for Git: NAMESPACE/KIND/NAME.yaml below --out, with a kustomization in each
namespace. accord sends nothing but GET requests to the clusters.

The manifests have no status, no fields that the cluster sets, and no defaults of the API server, unless the object shows that you wrote them.
Objects that controllers or the cluster made are left out, and so are those that accord delivers already. Secrets are left out and listed;
accord requests their metadata only.

--policy adds policies that place every object on the clusters that have it. They adopt the objects: a delivery restarts no pod. With several
clusters the most frequent version of an object is its manifest, and OverridePolicies have the differences. An object whose difference no
override can express is not placed on that cluster, and listed.

The names of the clusters are those of their contexts; --context NAME=CONTEXT gives another one. Without --namespace the namespaces of the
system are left out, such as kube-system.

After an interrupt, run the same command again: accord reads the missing kinds only. --rights prints the least rights for the import as
manifests. --verify compares the directory with the clusters, object by object.

Exit codes: 0 done, 1 an object is not placed on a cluster or --verify finds a difference, 2 usage error or an error of a cluster.`

// Options select the clusters and their objects.
type Options struct {
	kubeconfig     string
	contexts       []string
	selection      importer.Selection
	dir, secrets   string
	policy         bool
	rights, verify bool
	output         text.FormatFlag
}

// Command returns "accord import".
func Command() *cobra.Command {
	o := &Options{}
	c := &cobra.Command{
		Use:   "import --context CONTEXT --out DIR",
		Short: "Write the objects of live clusters as manifests for Git",
		Long:  long,
		Args:  cobra.NoArgs,
		Example: `  accord import --context prod --out prod --policy
  accord import --context prod --out prod --verify
  accord import --context eu=prod-eu,us=prod-us -n shop --out shop --policy
  accord import --context prod --exclude pods,namespaces/velero --rights`,
		RunE: func(c *cobra.Command, _ []string) error {
			return o.run(c.Context(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig with the contexts (default as kubectl)")
	f.StringSliceVar(&o.contexts, "context", nil, "context of each cluster, or CLUSTER=CONTEXT (repeatable; default the current context)")
	f.StringSliceVarP(&o.selection.Namespaces, "namespace", "n", nil, "namespace of the objects (repeatable; default all but those of the system)")
	f.StringSliceVar(&o.selection.Kinds, "kinds", nil, "kinds of the objects, as kubectl accepts them (default all)")
	f.StringSliceVar(&o.selection.Exclude, "exclude", nil, "kinds to leave out, objects as KIND/NAME or KIND/NAMESPACE/NAME, or namespaces/NAME with everything in it; * is a wildcard")
	f.StringVar(&o.dir, "out", "", "directory for the manifests, which must be empty")
	f.BoolVar(&o.policy, "policy", false, "add policies that place the objects on their clusters")
	f.StringVar(&o.secrets, "secrets", "none", "none: list Secrets, and leave them out")
	f.BoolVar(&o.rights, "rights", false, "print the rights that the import needs as manifests, and read no object")
	f.BoolVar(&o.verify, "verify", false, "compare the directory with the clusters, and write nothing")
	o.output.Register(f, text.AsText, text.AsJSON)
	c.MarkFlagsMutuallyExclusive("rights", "verify")
	return c
}

func (o *Options) run(ctx context.Context, out, errOut io.Writer) error {
	switch {
	case o.secrets == "sops":
		return errors.New("--secrets sops is not possible: accord does not read files that SOPS has encrypted yet; " +
			"write SealedSecrets or ExternalSecrets in place of the Secrets that the import lists")
	case o.secrets != "none":
		return fmt.Errorf("--secrets must be none, got %q: the import writes no Secret in plain text", o.secrets)
	case o.dir == "" && !o.rights:
		return errors.New("--out is required: name the directory of the manifests")
	}
	if err := o.selection.Check(); err != nil {
		return err
	}
	sources, err := o.sources()
	if err != nil {
		return err
	}
	if o.verify {
		return o.verifyAll(ctx, out, errOut, sources)
	}
	for _, s := range sources {
		if err := s.discover(o.selection); err != nil {
			return err
		}
	}
	if o.rights {
		return printRights(out, o.selection, sources)
	}
	describeRights(errOut, o.selection, sources)
	return o.importAll(ctx, out, errOut, sources)
}

func (o *Options) importAll(ctx context.Context, out, errOut io.Writer, sources []*source) error {
	spool, err := openSpool(o.dir, o.identity())
	if err != nil {
		return err
	}
	clusters, err := readAll(ctx, sources, reading{selection: o.selection, spool: spool, shorten: true}, errOut)
	if err != nil {
		return fmt.Errorf("%w\nrun the same command again: accord continues with the kinds that it has not read", err)
	}
	result, err := importer.New(importer.Input{Clusters: clusters, Policies: o.policy})
	if err != nil {
		return err
	}
	if err := write(o.dir, result.Files()); err != nil {
		return err
	}
	if err := spool.remove(); err != nil {
		return err
	}
	if err := o.report(out, result); err != nil {
		return err
	}
	if len(result.Refused) > 0 {
		return &exit.Error{Code: 1}
	}
	return nil
}
