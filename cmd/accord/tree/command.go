package tree

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/text"
)

const long = `Show the objects of a federation, the clusters of each, and the objects that controllers created for it there, with their states.
The federations in spec.dependsOn come first, unless you select clusters.

The state of an object is the number of clusters where it is healthy, of those that were chosen. The hub lists the states of at most ten
clusters for an object, the worst first; the others have no state here. ReplicaSets, Jobs and Pods come from the clusters: the hub
forwards the requests, as for "accord get -C". --children=false reads the hub only.`

type flags struct {
	Options
	output text.FormatFlag
}

// Command returns "accord tree".
func Command() *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "tree [FEDERATION]",
		Short: "Show objects, their clusters, and the pods there",
		Long:  long,
		Example: `  accord tree
  accord tree prod/shop -C eu-1
  accord tree --children=false -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args))
		},
	}
	f.Hub.RegisterWithNamespace(c.Flags())
	f.output.Register(c.Flags(), text.AsText, text.AsJSON, text.AsYAML)
	c.Flags().StringSliceVarP(&f.Clusters, "cluster", "C", nil, "show this cluster only (repeatable)")
	c.Flags().BoolVar(&f.Children, "children", true, "read the ReplicaSets, Jobs and Pods of the clusters")
	return c
}

func (f *flags) run(ctx context.Context, out io.Writer, name string) error {
	h, fed, err := f.Hub.ConnectTo(ctx, name)
	if err != nil {
		return err
	}
	root, err := Read(ctx, f.Options, h, fed)
	if err != nil {
		return err
	}
	return text.Write(out, f.output.Value, Tree{root}, root.Write)
}
