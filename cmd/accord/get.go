package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

const getLong = `List what the hub knows.

clusters begin with the verdict on the fleet; one that is being removed is Leaving. Below the federations stands what they have on
clusters that left. policies are no objects of the hub: they are those that claim an object in a
plan that is in force, as the FederatedObjects name them, "namespace/name" or, cluster-wide, "name". APPLIED, HEALTHY and
HELD count every object on every cluster that was chosen for it, OBSERVED the objects that all of these run as decided. A
policy that claims nothing is not among them; "accord lint" tells of those.

With -o yaml or -o json several kinds may be asked for at once, separated by commas. "accord get clusters,objects -o yaml" is
what "accord plan --facts" reads where there is no access to the hub; with deliveries and releases as well the plan also
knows which clusters are behind or silent. No credential and no digest of a Secret is in it.`

// getFlags of one get.
type getFlags struct {
	hub    hubFlags
	output formatFlag
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
			return f.run(c.Context(), c.OutOrStdout(), args[0], firstOf(args[1:]))
		},
	}
	f.hub.registerWithNamespace(c.Flags())
	f.output.register(c.Flags(), asText, asWide, asJSON, asYAML)
	return c
}

func (f *getFlags) run(ctx context.Context, out io.Writer, kind, name string) error {
	s, err := parseSelection(kind, name, f.output.value)
	if err != nil {
		return err
	}
	h, err := f.hub.connect()
	if err != nil {
		return err
	}
	return s.print(ctx, out, h)
}
