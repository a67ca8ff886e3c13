package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// A listing is one kind that "accord get" lists.
type listing struct {
	resource   string // plural, as in the URL
	title      string // as in "3 releases"
	names      []string
	namespaced bool
}

// listings are the kinds, by the words a user has for them.
var listings = []listing{
	{resource: "clusters", title: "clusters", names: []string{"clusters", "cluster"}},
	{resource: "federations", title: "federations", names: []string{"federations", "federation", "fed"}, namespaced: true},
	{resource: "releases", title: "releases", names: []string{"releases", "release", "rel"}, namespaced: true},
	{resource: "deliveries", title: "deliveries", names: []string{"deliveries", "delivery", "dlv"}, namespaced: true},
	{resource: "federatedobjects", title: "objects", names: []string{"objects", "object", "federatedobjects", "federatedobject", "fo"}, namespaced: true},
}

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
	if slices.Contains(policyNames, strings.ToLower(kind)) {
		h, err := f.hub.connect()
		if err != nil {
			return err
		}
		return f.policies(ctx, out, h, name)
	}
	if strings.Contains(kind, ",") {
		return f.several(ctx, out, strings.Split(kind, ","), name)
	}
	l, err := listingOf(kind)
	if err != nil {
		return err
	}
	h, err := f.hub.connect()
	if err != nil {
		return err
	}
	if f.output.value == asJSON || f.output.value == asYAML {
		return f.raw(ctx, out, h, l, name)
	}
	if l.resource == "clusters" {
		return f.clusters(ctx, out, h, name)
	}
	if err := f.table(ctx, out, h, l, name); err != nil || l.resource != "federations" {
		return err
	}
	return f.left(ctx, out, h, l, name)
}

// listingOf is the kind that a word means.
func listingOf(kind string) (listing, error) {
	i := slices.IndexFunc(listings, func(l listing) bool { return slices.Contains(l.names, strings.ToLower(kind)) })
	if i < 0 {
		return listing{}, fmt.Errorf("get what? %q is none of clusters, federations, releases, deliveries, objects, policies", kind)
	}
	return listings[i], nil
}

// fetch asks for the objects in the given media type. What is not there is an error only if it was named.
func (h *hub) fetch(ctx context.Context, l listing, name, accept string) ([]byte, error) {
	cfg := rest.CopyConfig(h.config)
	cfg.GroupVersion, cfg.APIPath = &v1alpha1.GroupVersion, "/apis"
	cfg.NegotiatedSerializer = clientscheme.Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to the hub %s: %w", h.config.Host, err)
	}
	req := c.Get().SetHeader("Accept", accept).Resource(l.resource)
	if l.namespaced && (h.namespaceGiven || name != "") {
		req = req.Namespace(h.namespace)
	}
	if name != "" {
		req = req.Name(name)
	}
	body, err := req.Do(ctx).Raw()
	return body, h.explain("reading "+join(" ", l.title, name), err)
}

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
