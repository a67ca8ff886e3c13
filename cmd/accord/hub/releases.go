package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// FindRollout returns the rollout of a RolloutPolicy, or the only one if name is empty.
func FindRollout(rel *v1alpha1.Release, name string) (*v1alpha1.RolloutStatus, error) {
	all := rel.Status.Rollouts
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Policy
	}
	switch i := slices.Index(names, name); {
	case i >= 0:
		return &all[i], nil
	case name == "" && len(all) == 1:
		return &all[0], nil
	case len(all) == 0:
		return nil, fmt.Errorf("release %s has no staged rollout", rel.Name)
	case name == "":
		return nil, fmt.Errorf("specify a rollout: %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("no rollout %q in release %s; it has %s", name, rel.Name, strings.Join(names, ", "))
}

// NewestRelease returns the current Release of the federation, nil if there is none yet.
func (h *Hub) NewestRelease(ctx context.Context, fed *v1alpha1.Federation) (*v1alpha1.Release, error) {
	if fed.Status.Release == "" {
		return nil, nil
	}
	rel := &v1alpha1.Release{}
	err := h.Get(ctx, client.ObjectKey{Namespace: fed.Namespace, Name: fed.Status.Release}, rel)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return rel, h.Wrap("reading release "+fed.Status.Release, err)
}
