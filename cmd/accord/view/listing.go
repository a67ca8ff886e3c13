package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/text"
)

// listing is one kind that "accord get" lists.
type listing struct {
	resource   string // plural, as in the URL
	kind       string
	title      string // as in "3 releases"
	names      []string
	namespaced bool
}

// listings are the kinds, with the words that users write.
var listings = []listing{
	{resource: "clusters", kind: "Cluster", title: "clusters", names: []string{"clusters", "cluster"}},
	{resource: "federations", kind: "Federation", title: "federations", names: []string{"federations", "federation", "fed"}, namespaced: true},
	{resource: "releases", kind: "Release", title: "releases", names: []string{"releases", "release", "rel"}, namespaced: true},
	{resource: "deliveries", kind: "Delivery", title: "deliveries", names: []string{"deliveries", "delivery", "dlv"}, namespaced: true},
	{resource: "federatedobjects", kind: "FederatedObject", title: "objects", names: []string{"objects", "object", "federatedobjects", "federatedobject", "fo"}, namespaced: true},
	{resource: "tenants", kind: "Tenant", title: "tenants", names: []string{"tenants", "tenant", "ten"}},
}

// listingOf returns the kind of a word.
func listingOf(kind string) (listing, error) {
	i := slices.IndexFunc(listings, func(l listing) bool { return slices.Contains(l.names, strings.ToLower(kind)) })
	if i < 0 {
		return listing{}, fmt.Errorf("unknown kind %q: expected clusters, federations, releases, deliveries, objects, tenants or policies%s", kind, manifest.DidYouMean(kind, kindWords()))
	}
	return listings[i], nil
}

// Kinds returns the kinds that "accord get" lists.
func Kinds() []string {
	var all []string
	for _, l := range listings {
		all = append(all, l.names[0])
	}
	return append(all, policyNames[0])
}

// Takes reports whether all words, separated by commas, are kinds that "accord get" lists.
func Takes(words string) bool {
	for word := range strings.SplitSeq(words, ",") {
		if !slices.Contains(kindWords(), strings.ToLower(word)) {
			return false
		}
	}
	return true
}

// Qualified returns words for kinds with their group, as the API server knows them. The hub serves other kinds of the same names.
func Qualified(words string) string {
	all := strings.Split(words, ",")
	for i, word := range all {
		if l, err := listingOf(word); err == nil {
			all[i] = l.resource + "." + v1alpha1.GroupVersion.Group
		}
	}
	return strings.Join(all, ",")
}

// kindWords returns all words for kinds.
func kindWords() []string {
	all := slices.Clone(policyNames)
	for _, l := range listings {
		all = append(all, l.names...)
	}
	return all
}

// fetch requests the objects in a media type. An absent object is an error only if it was named.
func fetch(ctx context.Context, h *hub.Hub, l listing, name, accept string) ([]byte, error) {
	cfg := rest.CopyConfig(h.Config)
	cfg.GroupVersion, cfg.APIPath = &v1alpha1.GroupVersion, "/apis"
	cfg.NegotiatedSerializer = clientscheme.Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("connecting to the hub %s: %w", h.Config.Host, err)
	}
	namespace, short, err := l.locate(h, name)
	if err != nil {
		return nil, err
	}
	req := c.Get().SetHeader("Accept", accept).Resource(l.resource)
	if namespace != "" {
		req = req.Namespace(namespace)
	}
	if short != "" {
		req = req.Name(short)
	}
	body, err := req.Do(ctx).Raw()
	switch {
	case apierrors.IsNotFound(err) && name != "":
		return nil, notFound(ctx, h, l, namespace, short)
	case apierrors.IsNotFound(err): // the kind is not served
		err = &apimeta.NoResourceMatchError{PartialResource: v1alpha1.GroupVersion.WithResource(l.resource)}
	}
	return body, h.Wrap("reading "+text.Join(" ", l.title, name), err)
}

// policyNames are the words for policies, which are not objects of the hub.
var policyNames = []string{"policies", "policy", "propagationpolicies", "propagationpolicy", "pp"}

// read returns an object of the hub, or a list, without credentials and bookkeeping.
func read(ctx context.Context, h *hub.Hub, l listing, name string) (map[string]any, error) {
	body, err := fetch(ctx, h, l, name, "application/json")
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

// Selection is the objects that "accord get" prints, and their format.
type Selection struct {
	// kinds is empty for policies.
	kinds  []listing
	name   string
	format text.Format
}

// ParseSelection reads one kind, or several separated by commas. Several kinds cannot be limited to a name.
func ParseSelection(words, name string, f text.Format) (Selection, error) {
	s := Selection{name: name, format: f}
	if slices.Contains(policyNames, strings.ToLower(words)) {
		return s, nil
	}
	several := strings.Contains(words, ",")
	if several && (name != "" || f != text.AsJSON && f != text.AsYAML) {
		return s, errors.New("several kinds require -o yaml or -o json, and no name")
	}
	for word := range strings.SplitSeq(words, ",") {
		l, err := listingOf(word)
		if err != nil {
			return s, err
		}
		s.kinds = append(s.kinds, l)
	}
	return s, nil
}

// Print reads the objects from the hub and writes them.
func (s Selection) Print(ctx context.Context, out io.Writer, h *hub.Hub) error {
	switch {
	case len(s.kinds) == 0:
		return printPolicies(ctx, out, h, s.name, s.format)
	case len(s.kinds) > 1:
		return printLists(ctx, out, h, s.kinds, s.format)
	case s.format == text.AsJSON || s.format == text.AsYAML:
		return printObjects(ctx, out, h, s.kinds[0], s.name, s.format)
	case s.kinds[0].resource == "clusters":
		return printClusters(ctx, out, h, s.name, s.format)
	}
	l := s.kinds[0]
	if err := printTable(ctx, out, h, l, s.name, s.format); err != nil || l.resource != "federations" {
		return err
	}
	return printRemoved(ctx, out, h, l, s.name)
}
