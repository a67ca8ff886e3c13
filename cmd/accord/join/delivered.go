package join

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/reconciler/apply"
)

// namedObjects bounds the objects that leave names.
const namedObjects = 10

// delivered returns the Federations that have delivered to the cluster, "namespace/name", each with its objects there.
func (l *leaving) delivered(ctx context.Context) (map[string][]string, error) {
	var deliveries v1alpha1.DeliveryList
	if err := l.hub.List(ctx, &deliveries); err != nil {
		return nil, l.hub.Wrap("listing the deliveries", err)
	}
	all := map[string][]string{}
	for i := range deliveries.Items {
		d := &deliveries.Items[i]
		if d.Spec.Cluster == l.cluster.Name {
			all[d.Namespace+"/"+d.Spec.Federation] = nil
		}
	}
	var inventories v1alpha1.InventoryList
	if err := l.hub.List(ctx, &inventories, client.MatchingLabels{v1alpha1.ClusterLabel: l.cluster.Name}); err != nil {
		return nil, l.hub.Wrap("listing the inventories", err)
	}
	for i := range inventories.Items {
		part := &inventories.Items[i]
		key := part.Namespace + "/" + part.Spec.Federation
		all[key] = append(all[key], part.Spec.Entries...)
	}
	var federations v1alpha1.FederationList
	if err := l.hub.List(ctx, &federations); err != nil {
		return nil, l.hub.Wrap("listing the federations", err)
	}
	for i := range federations.Items { // an interrupted leave: the Delivery is gone, and the objects may be there
		key := federations.Items[i].Namespace + "/" + federations.Items[i].Name
		all[key] = append([]string(nil), all[key]...)
	}
	return all, nil
}

// settleObjects deletes the delivered objects from the member, removes their marks, or names those that stay with them.
func (l *leaving) settleObjects(ctx context.Context, delivered map[string][]string) error {
	if l.member == nil || !l.Prune && !l.Release {
		l.nameObjects(delivered)
		return nil
	}
	m, err := clusters.Connect(l.member, l.cluster.Name)
	if err != nil {
		return err
	}
	defer m.Close()
	settle, doing := apply.Uninstall, "deleting"
	if l.Release {
		settle, doing = apply.Release, "releasing"
	}
	pruned, released, kept := 0, []string(nil), []string(nil)
	for key := range delivered {
		outcome, err := settle(ctx, m, key)
		if err != nil {
			return fmt.Errorf("%s the objects of federation %s: %w; run \"accord leave\" again", doing, key, err)
		}
		for id, failed := range outcome.Errors {
			return fmt.Errorf("%s %s: %w; run \"accord leave\" again", doing, id, failed)
		}
		pruned += len(outcome.Pruned)
		for id, why := range outcome.Orphaned {
			kept = append(kept, id.String()+": "+why)
		}
		for _, id := range outcome.Released {
			released = append(released, id.String())
		}
	}
	l.printSettled(pruned, released, kept)
	return nil
}

// printSettled prints the objects that were deleted, and those that stay.
func (l *leaving) printSettled(pruned int, released, kept []string) {
	if l.Release {
		fmt.Fprintf(l.out, "  objects      removed the marks of accord from %s, which %s\n", phrase.Count(len(released), "object"), phrase.Plural(len(released), "stays", "stay"))
	} else {
		fmt.Fprintf(l.out, "  objects      deleted %s\n", phrase.Count(pruned, "object"))
		for _, id := range released {
			kept = append(kept, id+": it existed before accord, or its annotation keeps it")
		}
	}
	slices.Sort(kept)
	for _, line := range kept {
		fmt.Fprintf(l.out, "               stays: %s\n", line)
	}
}

func (l *leaving) nameObjects(delivered map[string][]string) {
	var names []string
	for _, inventory := range delivered {
		for _, entry := range inventory {
			name := entry
			if id, err := manifest.ParseEntry(entry); err == nil {
				name = id.String()
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return
	}
	stay := phrase.Count(len(names), "object") + phrase.Plural(len(names), " stays", " stay")
	fmt.Fprintf(l.out, "  objects      %s on the cluster: %s\n", stay, phrase.First(names, namedObjects))
}
