package localtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/accord-dev/accord/clusters/local/kubelet"
)

// Container is the name of the container of RunPod.
const Container = "app"

// RunPod creates a pod with the container app, on a node with a kubelet of package kubelet.
func RunPod(t testing.TB, plane *ControlPlane, namespace, name string) {
	t.Helper()
	server, err := kubelet.Start()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	c, err := kubernetes.NewForConfig(plane.Config())
	require.NoError(t, err)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "kubelet-"}}
	node, err = c.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
	require.NoError(t, err)
	server.Address(&node.Status)
	_, err = c.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
	require.NoError(t, err)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{NodeName: node.Name, Containers: []corev1.Container{{Name: Container, Image: "example/app:1"}}},
	}
	pod, err = c.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	require.NoError(t, err)
	pod.Status.Phase = corev1.PodRunning
	_, err = c.CoreV1().Pods(namespace).UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
		require.NoError(t, c.CoreV1().Pods(namespace).Delete(context.Background(), name, now))
		require.NoError(t, c.CoreV1().Nodes().Delete(context.Background(), node.Name, now))
	})
}
