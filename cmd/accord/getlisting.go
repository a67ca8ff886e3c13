package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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

// policyNames are the words for policies, which are no objects of the hub.
var policyNames = []string{"policies", "policy", "propagationpolicies", "propagationpolicy", "pp"}

// read is an object of the hub, or a list of them, cleaned.
func (h *hub) read(ctx context.Context, l listing, name string) (map[string]any, error) {
	body, err := h.fetch(ctx, l, name, "application/json")
	if err != nil {
		return nil, err
	}
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, fmt.Errorf("reading the answer of the hub: %w", err)
	}
	clean(v)
	items, _ := v["items"].([]any)
	for _, item := range items {
		clean(item)
	}
	return v, nil
}
