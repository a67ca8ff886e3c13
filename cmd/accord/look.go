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

// look reads what the hub knows about the commit now.
func (w *waiting) look(ctx context.Context) (sight, error) {
	fed := &v1alpha1.Federation{}
	if err := w.hub.Get(ctx, client.ObjectKeyFromObject(w.federation), fed); err != nil {
		return sight{}, w.hub.explain("reading federation "+w.federation.Name, err)
	}
	releases := &v1alpha1.ReleaseList{}
	if err := w.hub.List(ctx, releases, of(fed)...); err != nil {
		return sight{}, w.hub.explain("listing the releases of "+fed.Name, err)
	}
	rel, err := findRelease(releases.Items, w.commit)
	if err != nil {
		return sight{}, err
	}
	if len(w.clusters) == 0 {
		return releaseSight(fed, rel), nil
	}
	deliveries := &v1alpha1.DeliveryList{}
	if err := w.hub.List(ctx, deliveries, of(fed)...); err != nil {
		return sight{}, w.hub.explain("listing the deliveries of "+fed.Name, err)
	}
	return deliverySight(fed, rel, deliveries.Items, w.clusters), nil
}

// of selects what belongs to the federation.
func of(fed *v1alpha1.Federation) []client.ListOption {
	return []client.ListOption{client.InNamespace(fed.Namespace), client.MatchingLabels{v1alpha1.FederationLabel: fed.Name}}
}

// findRelease is the Release of a commit, given by its first digits; nil when there is none yet. With several
// sources one commit can be part of several Releases: the one that is not superseded counts, else the newest.
func findRelease(releases []v1alpha1.Release, commit string) (*v1alpha1.Release, error) {
	var found *v1alpha1.Release
	var is string
	for i := range releases {
		rel := &releases[i]
		full, ok := commitIn(rel, commit)
		switch {
		case !ok:
			continue
		case found != nil && full != is:
			return nil, fmt.Errorf("revision %s is ambiguous: %s or %s", commit, is, full)
		case found == nil || newer(rel, found):
			found, is = rel, full
		}
	}
	return found, nil
}

// newer tells whether a counts rather than b.
func newer(a, b *v1alpha1.Release) bool {
	if superseded(a) != superseded(b) {
		return superseded(b)
	}
	return b.CreationTimestamp.Before(&a.CreationTimestamp)
}

// commitIn is the whole commit of the release that begins with these digits.
func commitIn(rel *v1alpha1.Release, digits string) (string, bool) {
	for label, commit := range rel.Labels {
		if strings.HasPrefix(label, v1alpha1.RevisionLabelPrefix) && strings.HasPrefix(commit, digits) {
			return commit, true
		}
	}
	whole := commitOf(rel.Spec.Revision)
	return whole, strings.HasPrefix(whole, digits)
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
