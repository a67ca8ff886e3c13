package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/gitrepo"
)

// ListOptions selects the objects of the federation.
func ListOptions(fed *v1alpha1.Federation) []client.ListOption {
	return []client.ListOption{client.InNamespace(fed.Namespace), client.MatchingLabels{v1alpha1.FederationLabel: fed.Name}}
}

// ConnectTo connects to the hub and finds a federation there, as Hub.Federation does.
func (h *Flags) ConnectTo(ctx context.Context, name string) (*Hub, *v1alpha1.Federation, error) {
	connected, err := h.Connect()
	if err != nil {
		return nil, nil, err
	}
	fed, err := connected.Federation(ctx, name)
	return connected, fed, err
}

// Federation returns the federation of a name, "shop" or "prod/shop". A name without namespace is that of the hub's namespace,
// else the only one of that name in any namespace. An empty name selects the only federation there is, or the only one with a source in the
// repository around the current directory.
func (h *Hub) Federation(ctx context.Context, name string) (*v1alpha1.Federation, error) {
	if namespace, rest, qualified := strings.Cut(name, "/"); qualified {
		return h.qualifiedFederation(ctx, namespace, rest)
	}
	all, err := h.Federations(ctx)
	if err != nil {
		return nil, err
	}
	var found []*v1alpha1.Federation
	for i := range all {
		switch f := &all[i]; {
		case f.Name == name && f.Namespace == h.Namespace && !h.AllNamespaces:
			return f, nil
		case f.Name == name || name == "":
			found = append(found, f)
		}
	}
	if name == "" && len(found) > 1 {
		if here := ofRepository(found); len(here) == 1 {
			return here[0], nil
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case name == "" || len(found) > 1:
		return nil, fmt.Errorf("specify a federation: %w", h.available(all))
	}
	return nil, h.noFederation(name, all)
}

// restart is the time that a hub which starts again has until it serves the kinds of accord. Its API server answers before.
const restart = 10 * time.Second

// AwaitFederation returns the federation of a name, as Federation does. It asks again while the hub starts.
func (h *Hub) AwaitFederation(ctx context.Context, name string) (fed *v1alpha1.Federation, err error) {
	_ = wait.PollUntilContextTimeout(ctx, restart/40, restart, true, func(ctx context.Context) (answered bool, _ error) {
		fed, err = h.Federation(ctx, name)
		return !Transient(err) && !errors.Is(err, errNoHub), nil
	}) // err is the last answer
	return fed, err
}

// ofRepository returns the federations with a source in the repository around the current directory; none outside of a repository.
func ofRepository(all []*v1alpha1.Federation) []*v1alpha1.Federation {
	repo, err := gitrepo.Open(".")
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(fed *v1alpha1.Federation) bool { return !HasSourceIn(fed, repo) })
}

// HasSourceIn reports whether a federation has a source in a repository.
func HasSourceIn(fed *v1alpha1.Federation, repo *gitrepo.Repository) bool {
	return slices.ContainsFunc(fed.Spec.Sources, func(s v1alpha1.Source) bool { return repo.Serves(s.URL) })
}

// qualifiedFederation returns the federation of a name with a namespace, which replaces that of the context.
func (h *Hub) qualifiedFederation(ctx context.Context, namespace, name string) (*v1alpha1.Federation, error) {
	if h.NamespaceGiven && namespace != h.Namespace {
		return nil, fmt.Errorf("federation %s/%s is not in namespace %s: omit --namespace", namespace, name, h.Namespace)
	}
	h.Namespace = namespace
	all, err := h.Federations(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Namespace == namespace && all[i].Name == name {
			return &all[i], nil
		}
	}
	return nil, h.noFederation(namespace+"/"+name, all)
}

func (h *Hub) noFederation(name string, all []v1alpha1.Federation) error {
	return fmt.Errorf("no federation %q: %w%s", name, h.available(all), manifest.DidYouMean(name, h.acceptedNames(name, all)))
}

// acceptedNames returns the names that select one federation each, with their namespace if name has one or if a name alone is
// ambiguous.
func (h *Hub) acceptedNames(name string, all []v1alpha1.Federation) []string {
	sameName := map[string]int{}
	for _, f := range all {
		sameName[f.Name]++
	}
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Name
		own := f.Namespace == h.Namespace && !h.AllNamespaces
		if strings.Contains(name, "/") || sameName[f.Name] > 1 && !own {
			names[i] = f.Namespace + "/" + f.Name
		}
	}
	return names
}

// Federations returns the federations of the requested namespace. If none was requested, it returns all, or those of the default
// namespace if the user may only read that one.
func (h *Hub) Federations(ctx context.Context) ([]v1alpha1.Federation, error) {
	list := &v1alpha1.FederationList{}
	var err error
	if !h.NamespaceGiven {
		err = h.List(ctx, list)
	}
	if h.NamespaceGiven || apierrors.IsForbidden(err) && !h.AllNamespaces {
		err = h.List(ctx, list, client.InNamespace(h.Namespace))
	}
	if err != nil {
		return nil, h.Wrap("listing the federations", err)
	}
	h.qualified = h.AllNamespaces || slices.ContainsFunc(list.Items, func(f v1alpha1.Federation) bool { return f.Namespace != list.Items[0].Namespace })
	return list.Items, nil
}

// Title returns the name of a federation, with its namespace if several namespaces have federations or all were requested.
func (h *Hub) Title(fed *v1alpha1.Federation) string {
	if h.qualified {
		return fed.Namespace + "/" + fed.Name
	}
	return fed.Name
}

// ErrNoFederation is in the errors about a hub without any federation.
var ErrNoFederation = errors.New("there is none")

// available lists the names of the federations.
func (h *Hub) available(all []v1alpha1.Federation) error {
	if len(all) == 0 {
		return fmt.Errorf("%w %s", ErrNoFederation, h.where())
	}
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Namespace + "/" + f.Name
	}
	return errors.New("there is " + strings.Join(names, ", "))
}

// where returns "on https://hub", or "in namespace shop on https://hub" if that namespace was requested.
func (h *Hub) where() string {
	if h.NamespaceGiven {
		return "in namespace " + h.Namespace + " on " + h.Config.Host
	}
	return "on " + h.Config.Host
}

// NoFederations returns the sentence about a hub without federations.
func (h *Hub) NoFederations() string { return "no federations " + h.where() }

// CheckClusters returns an error if a name is not the name of a Cluster.
func (h *Hub) CheckClusters(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	list := &v1alpha1.ClusterList{}
	if err := h.List(ctx, list); err != nil {
		return h.Wrap("listing the clusters", err)
	}
	known := make([]string, len(list.Items))
	for i := range list.Items {
		known[i] = list.Items[i].Name
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return h.unknownCluster(name, known)
		}
	}
	return nil
}

func (h *Hub) unknownCluster(name string, known []string) error {
	hint := manifest.DidYouMean(name, known)
	if hint == "" {
		hint = `; "accord get clusters" lists them`
	}
	return fmt.Errorf("no cluster %q on %s%s", name, h.Config.Host, hint)
}
