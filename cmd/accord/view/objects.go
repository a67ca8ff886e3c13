package view

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// printTable prints the printer columns of the kind; wide adds those of lower priority.
func printTable(ctx context.Context, out io.Writer, h *hub.Hub, l listing, name string, f text.Format) error {
	body, err := fetch(ctx, h, l, name, "application/json;as=Table;g=meta.k8s.io;v=v1")
	if err != nil {
		return err
	}
	var t metav1.Table
	if err := json.Unmarshal(body, &t); err != nil {
		return fmt.Errorf("reading the answer of the hub: %w", err)
	}
	if len(t.Rows) == 0 {
		_, err := fmt.Fprintf(out, "no %s\n", l.title)
		return err
	}
	rows, err := tableRows(t, f == text.AsWide, l.namespaced && !h.NamespaceGiven && name == "")
	if err != nil {
		return err
	}
	return text.Table(out, "", rows)
}

// printClusters prints the verdict on the fleet and the clusters.
func printClusters(ctx context.Context, out io.Writer, h *hub.Hub, name string, f text.Format) error {
	clusters := &v1alpha1.ClusterList{}
	if err := h.List(ctx, clusters); err != nil {
		return h.Wrap("listing the clusters", err)
	}
	deliveries := &v1alpha1.DeliveryList{}
	if err := h.List(ctx, deliveries); err != nil {
		return h.Wrap("listing the deliveries", err)
	}
	fleet := newFleetView(clusters.Items, deliveries.Items)
	if name != "" {
		if fleet = fleet.only(name); len(fleet) == 0 {
			return h.CheckClusters(ctx, []string{name})
		}
	}
	return fleet.write(out, f == text.AsWide, time.Now())
}

// printPolicies prints the status of every policy, computed from the FederatedObjects.
func printPolicies(ctx context.Context, out io.Writer, h *hub.Hub, name string, f text.Format) error {
	objects := &v1alpha1.FederatedObjectList{}
	var where []client.ListOption
	if h.NamespaceGiven {
		where = append(where, client.InNamespace(h.Namespace))
	}
	if err := h.List(ctx, objects, where...); err != nil {
		return h.Wrap("listing the objects", err)
	}
	view := newPolicyView(objects.Items)
	if name != "" {
		var known []string
		for _, p := range view.Policies {
			known = append(known, p.Policy)
		}
		if !slices.Contains(known, name) {
			return fmt.Errorf("no policy %q claims anything on %s%s", name, h.Config.Host, manifest.DidYouMean(name, known))
		}
		view = view.only(name)
	}
	return view.write(out, f)
}

// printObjects prints the objects as YAML or JSON.
func printObjects(ctx context.Context, out io.Writer, h *hub.Hub, l listing, name string, f text.Format) error {
	v, err := read(ctx, h, l, name)
	if err != nil {
		return err
	}
	return text.EncodeForeign(out, f, v)
}

// printLists prints all objects of several kinds as one list.
func printLists(ctx context.Context, out io.Writer, h *hub.Hub, kinds []listing, f text.Format) error {
	all := []any{}
	for _, l := range kinds {
		v, err := read(ctx, h, l, "")
		if err != nil {
			return err
		}
		items, _ := v["items"].([]any)
		all = append(all, items...)
	}
	return text.EncodeForeign(out, f, map[string]any{"apiVersion": "v1", "kind": "List", "items": all})
}

// title returns the name of a federation, with its namespace if the list has several namespaces.
func title(fed *v1alpha1.Federation, all []v1alpha1.Federation) string {
	if slices.ContainsFunc(all, func(f v1alpha1.Federation) bool { return f.Namespace != fed.Namespace }) {
		return fed.Namespace + "/" + fed.Name
	}
	return fed.Name
}

// printRemoved prints, below a table of federations, the objects that were left on removed clusters.
func printRemoved(ctx context.Context, out io.Writer, h *hub.Hub, l listing, name string) error {
	body, err := fetch(ctx, h, l, name, "application/json")
	if err != nil {
		return err
	}
	list := v1alpha1.FederationList{}
	if name == "" {
		err = json.Unmarshal(body, &list)
	} else {
		list.Items = make([]v1alpha1.Federation, 1)
		err = json.Unmarshal(body, &list.Items[0])
	}
	if err != nil {
		return fmt.Errorf("reading the answer of the hub: %w", err)
	}
	now := time.Now()
	for _, fed := range list.Items {
		for _, line := range removedLines(fed.Status.RemovedClusters, fed.Status.RemovedClustersOmitted, now) {
			if _, err := fmt.Fprintf(out, "%s: %s\n", title(&fed, list.Items), line); err != nil {
				return err
			}
		}
	}
	return nil
}
