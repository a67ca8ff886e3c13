package mirror

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var nodes = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}

// Shared returns the reason why nothing may be mirrored on the hub; empty if objects may be mirrored. A hub with nodes would
// run the mirrored objects. It returns an error if it cannot list the nodes; then nothing may be mirrored either.
func (m *Mirror) Shared(ctx context.Context) (string, error) {
	list, err := m.hub.Metadata.Resource(nodes).List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return "", fmt.Errorf("listing the nodes of the hub: %w", err)
	}
	if len(list.Items) > 0 {
		return fmt.Sprintf("the hub has nodes (%s), and would run the mirrored objects", list.Items[0].Name), nil
	}
	return "", nil
}
