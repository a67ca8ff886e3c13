package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// policyNames are the words for policies, which are no objects of the hub.
var policyNames = []string{"policies", "policy", "propagationpolicies", "propagationpolicy", "pp"}

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
