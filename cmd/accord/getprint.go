package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// table prints the columns that the kind declares (its printer columns), the less important ones with -o wide.
func (f *getFlags) table(ctx context.Context, out io.Writer, h *hub, l listing, name string) error {
	body, err := h.fetch(ctx, l, name, "application/json;as=Table;g=meta.k8s.io;v=v1")
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
	rows, err := tableRows(t, f.output.value == asWide, l.namespaced && !h.namespaceGiven && name == "")
	if err != nil {
		return err
	}
	return table(out, "", rows)
}

// clusters prints the verdict on the fleet and the clusters that need a look.
func (f *getFlags) clusters(ctx context.Context, out io.Writer, h *hub, name string) error {
	clusters := &v1alpha1.ClusterList{}
	if err := h.List(ctx, clusters); err != nil {
		return h.explain("listing the clusters", err)
	}
	deliveries := &v1alpha1.DeliveryList{}
	if err := h.List(ctx, deliveries); err != nil {
		return h.explain("listing the deliveries", err)
	}
	fleet := newFleetView(clusters.Items, deliveries.Items)
	if name != "" {
		if fleet = fleet.only(name); len(fleet) == 0 {
			return fmt.Errorf("no cluster %q on %s", name, h.config.Host)
		}
	}
	return fleet.write(out, f.output.value == asWide, time.Now())
}

// policies prints what became of every policy, as the FederatedObjects tell it.
func (f *getFlags) policies(ctx context.Context, out io.Writer, h *hub, name string) error {
	objects := &v1alpha1.FederatedObjectList{}
	var where []client.ListOption
	if h.namespaceGiven {
		where = append(where, client.InNamespace(h.namespace))
	}
	if err := h.List(ctx, objects, where...); err != nil {
		return h.explain("listing the objects", err)
	}
	view := newPolicyView(objects.Items)
	if name != "" {
		var known []string
		for _, p := range view.Policies {
			known = append(known, p.Policy)
		}
		if !slices.Contains(known, name) {
			return fmt.Errorf("no policy %q claims anything on %s%s", name, h.config.Host, manifest.DidYouMean(name, known))
		}
		view = view.only(name)
	}
	return view.write(out, f.output.value)
}

// raw prints the objects as the hub has them, cleaned.
func (f *getFlags) raw(ctx context.Context, out io.Writer, h *hub, l listing, name string) error {
	v, err := h.read(ctx, l, name)
	if err != nil {
		return err
	}
	return encode(out, f.output.value, v)
}

// several prints all objects of some kinds as one list.
func (f *getFlags) several(ctx context.Context, out io.Writer, kinds []string, name string) error {
	if name != "" || f.output.value != asJSON && f.output.value != asYAML {
		return errors.New("several kinds at once are listed whole, with -o yaml or -o json")
	}
	h, err := f.hub.connect()
	if err != nil {
		return err
	}
	all := []any{}
	for _, kind := range kinds {
		l, err := listingOf(kind)
		if err != nil {
			return err
		}
		v, err := h.read(ctx, l, "")
		if err != nil {
			return err
		}
		items, _ := v["items"].([]any)
		all = append(all, items...)
	}
	return encode(out, f.output.value, map[string]any{"apiVersion": "v1", "kind": "List", "items": all})
}

// left prints below a table of federations what stays on clusters that left them.
func (f *getFlags) left(ctx context.Context, out io.Writer, h *hub, l listing, name string) error {
	body, err := h.fetch(ctx, l, name, "application/json")
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
		for _, line := range leftLines(fed.Status.Left, fed.Status.LeftOmitted, now) {
			if _, err := fmt.Fprintf(out, "%s: %s\n", fed.Name, line); err != nil {
				return err
			}
		}
	}
	return nil
}
