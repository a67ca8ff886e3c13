package load

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/eviction"
	"github.com/accord-dev/accord/propagate/previous"
)

// addToInput adds to the input the facts that only the hub has: Clusters that Git does not declare, served kinds, free capacity,
// and previous decisions. It returns the facts; nil, and adds nothing, if the hub cannot be read.
func (l *LiveHub) addToInput(ctx context.Context, t *Tree) *HubSnapshot {
	if l == nil || l.FactsErr() != nil {
		return nil
	}
	k, err := l.Snapshot(ctx)
	if err != nil {
		l.Err, l.empty = err, false
		return nil
	}
	l.Objects, l.Deliveries = k.objects, k.Deliveries
	t.Input.Fleet, k.Clusters = nil, hub.NotBeingDeleted(k.Clusters)
	for _, c := range k.Clusters {
		t.Input.Fleet = append(t.Input.Fleet, fleet.From(c, t.Parts.Origins[c.Name]))
	}
	for _, c := range t.Parts.Fleet() {
		if !slices.ContainsFunc(k.Clusters, func(on v1alpha1.Cluster) bool { return on.Name == c.Name }) {
			t.Input.Fleet = append(t.Input.Fleet, c)
		}
	}
	for i := range l.Objects {
		t.Input.Previous = append(t.Input.Previous, previous.From(l.Objects[i].Spec))
	}
	t.Input.Evictions = eviction.Recorded(l.Objects)
	return k
}

// RegisterFleetFile registers the flag for a file with the facts of the hub.
func (f *Flags) RegisterFleetFile(flags *pflag.FlagSet) {
	flags.StringVar(&f.FleetFile, "fleet-file", "", `file with the objects of the hub, written by "accord get clusters,objects -o yaml"`)
}

// RegisterFacts registers the flags for the facts of the hub: its kubeconfig, or a file.
func (f *Flags) RegisterFacts(c *cobra.Command, to *hub.Flags) {
	flags := c.Flags()
	to.Register(flags)
	flags.Lookup("kubeconfig").Usage = "kubeconfig of the hub with the clusters and previous decisions (default $" + hub.KubeconfigEnv + ", else no hub)"
	flags.Lookup("federation").Usage = "manifest of the Federation, or its name on the hub"
	f.RegisterFleetFile(flags)
	c.MarkFlagsMutuallyExclusive("fleet-file", "kubeconfig")
}

// AddFacts adds the clusters and the previous decisions of the hub, or of the file, to the input of a tree. Without either, the
// Clusters in Git are the fleet. Clusters that do not exist for the Tenant are removed.
func (f *Flags) AddFacts(ctx context.Context, dir string, t *Tree, live *LiveHub) error {
	fed, err := f.Federation(dir)
	if err != nil {
		return err
	}
	var k *HubSnapshot
	switch {
	case f.FleetFile != "":
		k, err = ReadFleetFile(f.FleetFile, fed)
	case live != nil && live.Federation == nil:
		k, err = ClustersOf(ctx, live.Hub)
	case live != nil:
		k, err = live.Snapshot(ctx)
	}
	if err != nil {
		return err
	}
	if k != nil {
		t.Input.Fleet, t.Input.Previous, t.Input.Evictions = k.Fleet(t, t, fed.Namespace+"."+fed.Name), k.Previous(), k.Evictions()
	}
	g, err := f.Governance(fed, k)
	t.Govern(g)
	return err
}

// NoClusterCode is the code of the finding of NothingPlanned.
const NoClusterCode = "no-cluster"

// NothingPlanned returns the finding of a tree with policies for which no cluster is known: nothing was judged. It is nil
// otherwise.
func (t *Tree) NothingPlanned() *propagate.Finding {
	if t.Mistakes != nil || len(t.Input.Fleet) > 0 || len(t.Input.Policies) == 0 {
		return nil
	}
	return &propagate.Finding{Severity: propagate.Error, Code: NoClusterCode, Message: "nothing could be planned: no cluster is known", Fix: noClustersFix}
}
