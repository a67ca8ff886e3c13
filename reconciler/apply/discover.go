package apply

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/list"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/status/interpret"
)

// Discover returns the objects that a member has from a Federation, sorted: it rebuilds the inventory from the
// parent of the ApplySet and the labels. It returns an empty list if nothing was ever delivered. A hub that lost its
// records needs it to know which kinds to watch, and to keep earlier decisions.
func Discover(ctx context.Context, m *clusters.Member, federation string) ([]live.Discovered, error) {
	d, err := newDelivery(m, federation, propagate.ClusterPlan{}, nil, nil, Options{})
	if err != nil {
		return nil, err
	}
	found, err := d.listFromMember(ctx)
	if err != nil {
		return nil, err
	}
	all, counted := []live.Discovered{}, map[schema.GroupKind]schema.GroupVersionKind{}
	for id, seen := range found {
		if interpret.Of(id.GroupKind()).SetReplicas != nil {
			counted[id.GroupKind()] = seen.GVK
			continue
		}
		all = append(all, live.Discovered{ID: id, Stays: seen.Preserve || seen.Adopted})
	}
	for _, gvk := range counted {
		more, err := d.listReplicas(ctx, gvk)
		if err != nil {
			return nil, fmt.Errorf("cluster %s: listing %s of the inventory: %w", m.Name, gvk.GroupKind(), err)
		}
		all = append(all, more...)
	}
	slices.SortFunc(all, func(a, b live.Discovered) int { return a.ID.Compare(b.ID) })
	return all, nil
}

// Federations returns the Federations that have an inventory on a member, by ApplySet. It skips an inventory that names another Federation
// than its label does.
func Federations(ctx context.Context, m *clusters.Member) (map[string]string, error) {
	d, err := newDelivery(m, "", propagate.ClusterPlan{}, nil, nil, Options{})
	if err != nil {
		return nil, err
	}
	parents, err := d.list(ctx, m, configMapsResource, applyset.InventoryNamespace, v1alpha1.ApplySetLabel, anyObject)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", m.Name, err)
	}
	all := map[string]string{}
	for i := range parents {
		if federation := parents[i].Annotations[federationAnnotation]; parents[i].Labels[v1alpha1.ApplySetLabel] == applyset.ID(federation) {
			all[applyset.ID(federation)] = federation
		}
	}
	return all, nil
}

// listReplicas lists the whole objects of a kind with replicas.
func (d *delivery) listReplicas(ctx context.Context, gvk schema.GroupVersionKind) ([]live.Discovered, error) {
	mapping, err := d.member.Kinds.Mapping(gvk)
	if err != nil {
		return nil, err
	}
	known, all := interpret.Of(gvk.GroupKind()), []live.Discovered{}
	var pages list.Pages
	for next := ""; ; {
		if err := pages.Next(); err != nil {
			return nil, err
		}
		var page *unstructured.UnstructuredList
		err := d.request(ctx, func(ctx context.Context) (err error) {
			page, err = d.member.Objects.Resource(mapping.Resource).
				List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.PartOfLabel + "=" + d.applySet, Limit: listPage, Continue: next})
			return err
		})
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			if live.Observe(&page.Items[i], nil, live.Object{}, live.Proof{}).IsStranger() {
				continue
			}
			annotations := page.Items[i].GetAnnotations()
			r := live.Discovered{ID: manifest.IDOf(&page.Items[i]), Stays: annotations[v1alpha1.PreserveAnnotation] == "true"}
			if n, ok := known.Replicas(&page.Items[i]); ok {
				r.Replicas = &n
			}
			if n, ok, _ := unstructured.NestedInt64(page.Items[i].Object, "spec", "completions"); ok {
				r.Completions = new(int32(n))
			}
			all = append(all, r)
		}
		if next = page.GetContinue(); next == "" {
			return all, nil
		}
	}
}
