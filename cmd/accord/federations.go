package main

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

// of selects what belongs to the federation.
func of(fed *v1alpha1.Federation) []client.ListOption {
	return []client.ListOption{client.InNamespace(fed.Namespace), client.MatchingLabels{v1alpha1.FederationLabel: fed.Name}}
}

// federation of that name: the one in the hub's namespace, else, if no namespace was asked for, the only one of
// that name. An empty name is the only one there is.
func (h *hub) federation(ctx context.Context, name string) (*v1alpha1.Federation, error) {
	all, err := h.federations(ctx)
	if err != nil {
		return nil, err
	}
	var found []*v1alpha1.Federation
	for i := range all {
		switch f := &all[i]; {
		case f.Name == name && f.Namespace == h.namespace:
			return f, nil
		case f.Name == name || name == "":
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case name == "" || len(found) > 1:
		return nil, fmt.Errorf("which federation? %s", h.choices(all))
	}
	return nil, fmt.Errorf("no federation %q: %s%s", name, h.choices(all), nearestFederation(name, all))
}

func nearestFederation(name string, all []v1alpha1.Federation) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return manifest.DidYouMean(name, names)
}

// federations in the namespace that was asked for; in all when none was, or when only that one may be read.
func (h *hub) federations(ctx context.Context) ([]v1alpha1.Federation, error) {
	list := &v1alpha1.FederationList{}
	var err error
	if !h.namespaceGiven {
		err = h.List(ctx, list)
	}
	if h.namespaceGiven || apierrors.IsForbidden(err) {
		err = h.List(ctx, list, client.InNamespace(h.namespace))
	}
	if err != nil {
		return nil, h.explain("listing the federations", err)
	}
	return list.Items, nil
}

// choices names the federations there are.
func (h *hub) choices(all []v1alpha1.Federation) string {
	if len(all) == 0 {
		return "there is none on " + h.config.Host
	}
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Namespace + "/" + f.Name
	}
	return "there is " + strings.Join(names, ", ")
}

// checkClusters refuses names that are no clusters.
func (h *hub) checkClusters(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	list := &v1alpha1.ClusterList{}
	if err := h.List(ctx, list); err != nil {
		return h.explain("listing the clusters", err)
	}
	known := make([]string, len(list.Items))
	for i := range list.Items {
		known[i] = list.Items[i].Name
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return h.noCluster(name, known)
		}
	}
	return nil
}

func (h *hub) noCluster(name string, known []string) error {
	hint := manifest.DidYouMean(name, known)
	if hint == "" {
		hint = `; "accord get clusters" lists them`
	}
	return fmt.Errorf("no cluster %q on %s%s", name, h.config.Host, hint)
}
