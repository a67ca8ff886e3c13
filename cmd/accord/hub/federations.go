package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// ListOptions selects the objects of the federation.
func ListOptions(fed *v1alpha1.Federation) []client.ListOption {
	return []client.ListOption{client.InNamespace(fed.Namespace), client.MatchingLabels{v1alpha1.FederationLabel: fed.Name}}
}

// Federation returns the federation of that name in the hub's namespace. If no namespace was requested, it returns the only one
// of that name in any namespace. An empty name selects the only federation there is.
func (h *Hub) Federation(ctx context.Context, name string) (*v1alpha1.Federation, error) {
	all, err := h.Federations(ctx)
	if err != nil {
		return nil, err
	}
	var found []*v1alpha1.Federation
	for i := range all {
		switch f := &all[i]; {
		case f.Name == name && f.Namespace == h.Namespace:
			return f, nil
		case f.Name == name || name == "":
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case name == "" || len(found) > 1:
		return nil, fmt.Errorf("specify a federation: %s", h.available(all))
	}
	return nil, fmt.Errorf("no federation %q: %s%s", name, h.available(all), nearestFederation(name, all))
}

func nearestFederation(name string, all []v1alpha1.Federation) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return manifest.DidYouMean(name, names)
}

// Federations returns the federations of the requested namespace. If none was requested, it returns all, or those of the default
// namespace if the user may only read that one.
func (h *Hub) Federations(ctx context.Context) ([]v1alpha1.Federation, error) {
	list := &v1alpha1.FederationList{}
	var err error
	if !h.NamespaceGiven {
		err = h.List(ctx, list)
	}
	if h.NamespaceGiven || apierrors.IsForbidden(err) {
		err = h.List(ctx, list, client.InNamespace(h.Namespace))
	}
	if err != nil {
		return nil, h.Wrap("listing the federations", err)
	}
	return list.Items, nil
}

// available lists the names of the federations.
func (h *Hub) available(all []v1alpha1.Federation) string {
	if len(all) == 0 {
		return "there is none on " + h.Config.Host
	}
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Namespace + "/" + f.Name
	}
	return "there is " + strings.Join(names, ", ")
}

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
