package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/cmd/accord/view"
)

const getLong = `List what the hub knows.

clusters begin with the verdict on the fleet; one that is being removed is Leaving. Below the federations stands what they have on
clusters that left. policies are no objects of the hub: they are those that claim an object in a
plan that is in force, as the FederatedObjects name them, "namespace/name" or, cluster-wide, "name". APPLIED, HEALTHY and
HELD count every object on every cluster that was chosen for it, OBSERVED the objects that all of these run as decided. A
policy that claims nothing is not among them; "accord lint" tells of those.

With -o yaml or -o json several kinds may be asked for at once, separated by commas. "accord get clusters,objects -o yaml" is
what "accord plan --fleet-file" reads where there is no access to the hub; with deliveries and releases as well the plan also
knows which clusters are behind or silent. No credential and no digest of a Secret is in it.`

type getFlags struct {
	hub    hub.Flags
	output text.FormatFlag
}

func getCommand() *cobra.Command {
	f := &getFlags{}
	c := &cobra.Command{
		Use:     "get clusters|federations|releases|deliveries|objects|policies[,...] [NAME]",
		Short:   "List what the hub knows",
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
