package mirror

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var nodes = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}

// Shared says why nothing may be mirrored on the hub: it runs workloads, and would run what is mirrored. Empty if it
// may. It returns an error if it cannot list the nodes; then nothing may be mirrored either.
func (m *Mirror) Shared(ctx context.Context) (string, error) {
	list, err := m.hub.Metadata.Resource(nodes).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return "", fmt.Errorf("looking whether the hub has nodes: %w", err)
	}
	if len(list.Items) > 0 {
		return fmt.Sprintf("the hub has nodes (%s), and would run what is mirrored on it", list.Items[0].Name), nil
	}
	return "", nil
}
