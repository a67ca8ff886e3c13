package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
	"github.com/accord-dev/accord/cmd/accord/load"
)

// ClusterEdit has the flags of commands that change the spec of one Cluster, in Git or on the hub.
type ClusterEdit struct {
	Flags
	onHub bool
}

// register adds the flags of a command that changes a field, such as "spec.hold".
func (f *ClusterEdit) register(c *cobra.Command, field string) {
	f.Flags.Register(c)
	registerOnHub(c, &f.onHub, "change "+field+" of the Cluster on the hub, in place of the commit")
}

// findCluster finds the manifest of a cluster in Git.
func (f *ClusterEdit) findCluster(ctx context.Context, cluster string) (*gitrepo.Repository, gitrepo.ManifestFile, error) {
	h, m, err := gitrepo.FindManifest(f.dir, gitrepo.Selector{Noun: "Cluster", Name: cluster, Kinds: map[string][]string{v1alpha1.GroupVersion.Group: {"Cluster"}, v1alpha1.KarmadaClusterGroup: {"Cluster"}}})
	if err != nil {
		return nil, m, f.explainMissing(ctx, cluster, err)
	}
	return h, m, nil
}

// changeOnHub changes a Cluster on the hub. The user needs the right to patch Clusters there.
func (f *ClusterEdit) changeOnHub(ctx context.Context, out io.Writer, cluster, subject string, change func(*v1alpha1.Cluster) error) error {
	h, err := f.hub.Connect()
	if err != nil {
		return err
	}
	if err := h.CheckClusters(ctx, []string{cluster}); err != nil {
		return err
	}
	c := &v1alpha1.Cluster{}
	if err := h.Get(ctx, client.ObjectKey{Name: cluster}, c); err != nil {
		return h.Wrap("reading cluster "+cluster, err)
	}
	before := c.DeepCopy()
	if err := change(c); err != nil {
		return err
	}
	if err := h.Patch(ctx, c, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return h.Wrap("changing cluster "+cluster, err)
	}
	return Result{Subject: subject, Cluster: cluster}.print(out, f.output.Value)
}

// explainMissing returns the error about a cluster without a manifest in Git, with the ways out.
func (f *ClusterEdit) explainMissing(ctx context.Context, cluster string, err error) error {
	if _, missing := errors.AsType[*gitrepo.NotFoundError](err); !missing {
		return err
	}
	names, asked, unknown := f.clusterNames(ctx)
	switch {
	case unknown != nil:
		return fmt.Errorf("%w; the clusters of the hub are not known: %w", err, unknown)
	case !asked:
		return fmt.Errorf("%w; for a cluster that is only on the hub, %s", err, waysOut("NAME"))
	case !slices.Contains(names, cluster):
		return fmt.Errorf("%w; the hub has no cluster %q%s", err, cluster, manifest.DidYouMean(cluster, names))
	}
	return fmt.Errorf("cluster %s is only on the hub, and Git has no manifest for the edit: %s", cluster, waysOut(cluster))
}

// waysOut returns the two ways to change a cluster without a manifest in Git.
func waysOut(cluster string) string {
	return fmt.Sprintf(`write the manifest with "accord join %s --write FILE" and commit it first, or change the Cluster on the hub with --on-hub`, cluster)
}

// clusterNames returns the clusters of the hub or of its facts. asked is false without either.
func (f *ClusterEdit) clusterNames(ctx context.Context) (names []string, asked bool, err error) {
	var clusters []v1alpha1.Cluster
	switch {
	case f.facts.FleetFile != "":
		k, err := load.ReadFleetFile(f.facts.FleetFile, &v1alpha1.Federation{})
		if err != nil {
			return nil, true, err
		}
		clusters = k.Clusters
	case f.hub.Path() != "":
		h, err := f.hub.Connect()
		if err != nil {
			return nil, true, err
		}
		list := &v1alpha1.ClusterList{}
		if err := h.List(ctx, list); err != nil {
			return nil, true, h.Wrap("listing the clusters", err)
		}
		clusters = list.Items
	default:
		return nil, false, nil
	}
	for _, c := range clusters {
		names = append(names, c.Name)
	}
	return names, true, nil
}
