package uninstall

import (
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

const long = `Remove accord from a hub: delete the objects that "accord install" created, the controllers first.

The CustomResourceDefinitions stay, with the Federations, the Clusters and the Releases. With --crds, uninstall deletes them; the
namespace of accord, with the credentials of the clusters, is always deleted.

The members keep the delivered objects, which run on, their marks (the labels and annotations of accord), and the identity of accord.
With --leave-members, "accord leave" first revokes the identity on each cluster, while the controllers run; if a cluster does not leave,
nothing of the hub is removed. With --prune, it also deletes the delivered objects, except those that accord adopted; with --release,
they stay, and it removes their marks and the inventory.

Uninstall prints the objects and asks. --dry-run only prints. An interrupted uninstall continues when you run it again. A hub of
"accord up" has no installation: stop the process, and delete its --data-dir.`

// Command returns "accord uninstall". manifests returns the objects of an installation in a namespace, in the order of their creation.
func Command(manifests func(namespace string) ([]*unstructured.Unstructured, error)) *cobra.Command {
	o := Options{}
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove accord from a hub",
		Long:  long,
		Example: `  accord uninstall --dry-run
  accord uninstall --leave-members --crds`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			objects, err := manifests(o.Namespace)
			if err != nil {
				return err
			}
			o.In, o.Asks = c.InOrStdin(), text.IsTerminal(c.InOrStdin()) && text.IsTerminal(c.OutOrStdout())
			return o.Run(c.Context(), c.OutOrStdout(), objects)
		},
	}
	f := c.Flags()
	o.Hub.Register(f)
	f.StringVar(&o.Namespace, "namespace", hub.SystemNamespace, "namespace of accord")
	f.StringVar(&o.SecretsNamespace, "secrets-namespace", "", "namespace of the credentials of clusters (default --namespace)")
	f.BoolVar(&o.CRDs, "crds", false, "also delete the CustomResourceDefinitions, with all objects of accord on the hub")
	f.BoolVar(&o.LeaveMembers, "leave-members", false, "first remove each member as \"accord leave\" does")
	f.BoolVar(&o.Prune, "prune", false, "with --leave-members, also delete the delivered objects")
	f.BoolVar(&o.Release, "release", false, "with --leave-members, also remove the marks and the inventory of accord")
	f.BoolVar(&o.DryRun, "dry-run", false, "print the objects, and remove nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	c.MarkFlagsMutuallyExclusive("prune", "release")
	return c
}
