package tree

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/propagate/dependency"
)

// dependencies returns the Federations in spec.dependsOn, each with the reason why it is not ready.
func dependencies(ctx context.Context, h *hub.Hub, fed *v1alpha1.Federation) []Node {
	var all []Node
	for _, key := range dependency.Keys(fed) {
		n := Node{Name: "depends on Federation " + key.String()}
		on := &v1alpha1.Federation{}
		switch err := h.Get(ctx, key, on); {
		case client.IgnoreNotFound(err) != nil:
			n.State, n.Message = "Unknown", h.Wrap("reading it", err).Error()
		case err != nil:
			n.State = "NotFound"
		case dependency.Ready(on):
			n.State = "Ready"
		default:
			n.State, n.Message = "NotReady", on.Status.Message
		}
		all = append(all, n)
	}
	return all
}
