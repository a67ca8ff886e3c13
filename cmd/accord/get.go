package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view"
)

const getLong = `List objects of the hub.

clusters begins with the verdict on the fleet; a cluster that is being deleted is Leaving. federations is followed by the objects
that were left on removed clusters. policies are not objects of the hub: they are the policies that claim an object in an
active plan, "namespace/name" or, cluster-wide, "name". APPLIED, HEALTHY and HELD count every object on every cluster that was
chosen for it, OBSERVED the objects that all of these clusters run as decided. Policies that claim nothing are not listed;
"accord lint" reports them.

-o yaml and -o json accept several kinds, separated by commas. "accord plan --fleet-file" reads the output of
"accord get clusters,objects -o yaml" where the hub is not accessible. With deliveries and releases, the plan also knows which
clusters are behind or unreachable. The output has no credentials and no digests of Secrets.`

type getFlags struct {
	hub    hub.Flags
	output text.FormatFlag
}

func getCommand() *cobra.Command {
	f := &getFlags{}
	c := &cobra.Command{
		Use:     "get clusters|federations|releases|deliveries|objects|tenants|policies[,...] [NAME]",
		Short:   "List objects of the hub",
		Long:    getLong,
		Example: "  accord get clusters\n  accord get releases -n shop -o wide\n  accord get policies shop/web\n  accord get clusters,objects -o yaml > facts.yaml",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), args[0], text.First(args[1:]))
		},
	}
	f.hub.RegisterWithNamespace(c.Flags())
	f.output.Register(c.Flags(), text.AsText, text.AsWide, text.AsJSON, text.AsYAML)
	return c
}

func (f *getFlags) run(ctx context.Context, out io.Writer, kind, name string) error {
	s, err := view.ParseSelection(kind, name, f.output.Value)
	if err != nil {
		return err
	}
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	return s.Print(ctx, out, h)
}
