package events

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/accord-dev/accord/cmd/accord/text"
)

const long = `List the events of a federation, the oldest first: those of its Federation, Releases, Deliveries and FederatedObjects on the hub.

With --cluster, the events on that cluster of the delivered objects, and of the ReplicaSets, Jobs and Pods that controllers created for
them, too. The hub forwards the requests, as for "accord get -C". API servers delete events, by default after an hour.`

type flags struct {
	Options
	output text.FormatFlag
}

// Command returns "accord events".
func Command() *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:   "events [FEDERATION]",
		Short: "List the events of a federation, and of its objects on clusters",
		Long:  long,
		Example: `  accord events
  accord events prod/shop -C eu-1 --warnings`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c.Context(), c.OutOrStdout(), text.First(args))
		},
	}
	f.Hub.RegisterWithNamespace(c.Flags())
	f.output.Register(c.Flags(), text.AsText, text.AsJSON, text.AsYAML)
	c.Flags().StringSliceVarP(&f.Clusters, "cluster", "C", nil, "read the events of this cluster, too (repeatable)")
	c.Flags().BoolVar(&f.Warnings, "warnings", false, "list warnings only")
	return c
}

// List is the events of one Federation, the oldest first.
type List struct {
	Events []Event `json:"events"`
}

// DocumentKind implements text.Document.
func (List) DocumentKind() string { return "EventList" }

func (f *flags) run(ctx context.Context, out io.Writer, name string) error {
	h, fed, err := f.Hub.ConnectTo(ctx, name)
	if err != nil {
		return err
	}
	all, err := Read(ctx, f.Options, h, fed)
	if err != nil {
		return err
	}
	return text.Write(out, f.output.Value, List{append([]Event{}, all...)}, func(out io.Writer) error { return Write(out, all, time.Now()) })
}
