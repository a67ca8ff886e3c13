package clusters

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// maxPods bounds the pods that one request reads.
const maxPods = 100

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// Pods returns the pods that a label selector selects in a namespace of a member, at most maxPods.
func Pods(ctx context.Context, m *Member, namespace, selector string) ([]corev1.Pod, error) {
	list, err := m.Objects.Resource(podsResource).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector, Limit: maxPods})
	if err != nil {
		return nil, err
	}
	pods := make([]corev1.Pod, len(list.Items))
	for i := range list.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &pods[i]); err != nil {
			return nil, fmt.Errorf("reading pod %s: %w", list.Items[i].GetName(), err)
		}
	}
	return pods, nil
}
