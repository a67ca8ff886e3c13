package kwok

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/accord-dev/accord/clusters/local/kubelet"
)

// Marks of a node that kwok plays.
const (
	fakeAnnotation = "kwok.x-k8s.io/node"
	fakeValue      = "fake"
)

// selectFake finds the nodes made here.
const selectFake = "type=kwok"

func node(i int) *corev1.Node {
	name := fmt.Sprintf("node-%d", i)
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("32"),
		corev1.ResourceMemory: resource.MustParse("256Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Labels:      map[string]string{"type": "kwok", corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64"},
			Annotations: map[string]string{fakeAnnotation: fakeValue},
		},
		Status: corev1.NodeStatus{Capacity: room, Allocatable: room},
	}
}

// createNodes makes the nodes that are missing. All get the address of the kubelet.
func createNodes(ctx context.Context, nodes typedcorev1.NodeInterface, n int, pods *kubelet.Server) error {
	for i := range n {
		wanted := node(i)
		pods.Address(&wanted.Status)
		_, err := nodes.Create(ctx, wanted, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			err = move(ctx, nodes, wanted.Name, pods)
		}
		if err != nil {
			return fmt.Errorf("creating fake node %d: %w", i, err)
		}
	}
	return nil
}

// move gives a node of an earlier Start the address of the kubelet.
func move(ctx context.Context, nodes typedcorev1.NodeInterface, name string, pods *kubelet.Server) error {
	found, err := nodes.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	pods.Address(&found.Status)
	_, err = nodes.UpdateStatus(ctx, found, metav1.UpdateOptions{})
	return err
}

// waitNodes returns when n fake nodes are Ready, or with an error when kwok ends or the context does.
func waitNodes(ctx context.Context, nodes typedcorev1.NodeInterface, n int, ended <-chan struct{}) error {
	for {
		list, err := nodes.List(ctx, metav1.ListOptions{LabelSelector: selectFake})
		if err != nil {
			return fmt.Errorf("waiting for fake nodes: %w", err)
		}
		ready := len(slices.DeleteFunc(list.Items, notReady))
		if ready >= n {
			return nil
		}
		select {
		case <-ended:
			return errors.New("kwok ended by itself")
		case <-ctx.Done():
			return fmt.Errorf("waiting for fake nodes, %d of %d ready: %w", ready, n, context.Cause(ctx))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func notReady(n corev1.Node) bool {
	return !slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}
