package clusterimport

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/defaulting"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate/importer"
	"github.com/accord-dev/accord/render/unrender"
	"github.com/accord-dev/accord/source/cluster"
)

// source is one live cluster.
type source struct {
	name      string
	config    *rest.Config
	resources []importer.Resource // to read, by group and name
	kinds     *defaulting.Kinds
}

// sources returns the clusters of the contexts. It does not contact them.
func (o *Options) sources() (all []*source, err error) {
	contexts := o.contexts
	if len(contexts) == 0 {
		raw, err := hub.Loader(o.kubeconfig, "").RawConfig()
		if err != nil {
			return nil, fmt.Errorf("reading the kubeconfig: %w", err)
		}
		if raw.CurrentContext == "" {
			return nil, errors.New("the kubeconfig has no current context: name one with --context")
		}
		contexts = []string{raw.CurrentContext}
	}
	for _, word := range contexts {
		name, context, named := strings.Cut(word, "=")
		if !named {
			context = name
		}
		if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 || len(name) > 48 {
			return nil, fmt.Errorf("context %q cannot be the name of a Cluster: give it one with --context NAME=%s", name, context)
		}
		if slices.ContainsFunc(all, func(s *source) bool { return s.name == name }) {
			return nil, fmt.Errorf("two contexts are cluster %q: give them names with --context NAME=CONTEXT", name)
		}
		cfg, err := hub.ClientConfig(hub.Loader(o.kubeconfig, context))
		if err != nil {
			return nil, fmt.Errorf("context %s: %w", context, err)
		}
		cfg.Wrap(cluster.ReadOnly)
		kinds, err := defaulting.NewKinds()
		if err != nil {
			return nil, err
		}
		all = append(all, &source{name: name, config: cfg, kinds: kinds})
	}
	return all, nil
}

// discover finds the kinds to read. A group that does not answer is an error, unless all wanted kinds are found without it: its objects
// would be missing.
func (s *source) discover(selection importer.Selection) error {
	client, err := discovery.NewDiscoveryClientForConfig(s.config)
	if err != nil {
		return fmt.Errorf("cluster %s: %w", s.name, err)
	}
	lists, err := client.ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return fmt.Errorf("reading the kinds of cluster %s: %w", s.name, err)
	}
	var all []importer.Resource
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return fmt.Errorf("reading the kinds of cluster %s: %w", s.name, err)
		}
		for _, r := range list.APIResources {
			all = append(all, importer.Resource{GroupVersionResource: gv.WithResource(r.Name), APIResource: r})
		}
	}
	unknown := selection.Unknown(all)
	switch {
	case err != nil && (len(selection.Kinds) == 0 || len(unknown) > 0):
		return fmt.Errorf("reading the kinds of cluster %s: %w; select others with --kinds", s.name, err)
	case len(unknown) > 0:
		return fmt.Errorf("cluster %s does not serve %s", s.name, phrase.List(unknown, 8))
	}
	s.resources = slices.DeleteFunc(all, func(r importer.Resource) bool { return !selection.Reads(r) })
	slices.SortFunc(s.resources, func(a, b importer.Resource) int { return strings.Compare(key(a), key(b)) })
	if len(s.resources) == 0 {
		return fmt.Errorf("no kind of cluster %s is selected", s.name)
	}
	return nil
}

// key returns the full name of a resource, "deployments.apps".
func key(r importer.Resource) string { return r.GroupVersionResource.GroupResource().String() }

// cluster returns the objects of the source with the defaults of its kinds.
func (s *source) cluster(objects []*unstructured.Unstructured) (importer.Cluster, error) {
	for _, u := range objects {
		if u.GroupVersionKind().GroupKind() == (schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}) && u.Object["spec"] != nil {
			if err := s.kinds.Define(u); err != nil {
				return importer.Cluster{}, fmt.Errorf("cluster %s: %w", s.name, err)
			}
		}
	}
	return importer.Cluster{Name: s.name, Objects: objects, Defaults: func(gvk schema.GroupVersionKind) *unrender.Defaulter {
		return (*unrender.Defaulter)(s.kinds.Of(gvk))
	}}, nil
}
