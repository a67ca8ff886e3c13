package localtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// Container is the name of the container of RunPod.
const Container = "app"

// RunPod creates a pod with the container app, on a node whose kubelet is a server of the test. The log of the container is "first" and
// "second", and stays open for those who follow it. A command in the container prints itself, and then its standard input.
func RunPod(t testing.TB, plane *ControlPlane, namespace, name string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(serveKubelet))
	t.Cleanup(server.Close)
	c, err := kubernetes.NewForConfig(plane.Config())
	require.NoError(t, err)
	at, err := url.Parse(server.URL)
	require.NoError(t, err)
	port, err := strconv.ParseInt(at.Port(), 10, 32)
	require.NoError(t, err)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "kubelet-"}}
	node, err = c.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
	require.NoError(t, err)
	node.Status = corev1.NodeStatus{
		Addresses:       []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: at.Hostname()}},
		DaemonEndpoints: corev1.NodeDaemonEndpoints{KubeletEndpoint: corev1.DaemonEndpoint{Port: int32(port)}},
	}
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

func serveKubelet(w http.ResponseWriter, r *http.Request) {
	switch parts := strings.Split(r.URL.Path, "/"); parts[1] {
	case "containerLogs":
		lines := []string{"first", "second"}
		if tail, err := strconv.Atoi(r.URL.Query().Get("tailLines")); err == nil {
			lines = lines[max(0, len(lines)-tail):]
		}
		fmt.Fprintln(w, strings.Join(lines, "\n"))
		if r.URL.Query().Get("follow") == "true" {
			_ = http.NewResponseController(w).Flush() // the reader may be gone
			<-r.Context().Done()
		}
	case "exec":
		execute(w, r)
	default:
		http.NotFound(w, r)
	}
}

// execute runs a command of one SPDY session.
func execute(w http.ResponseWriter, r *http.Request) {
	if _, err := httpstream.Handshake(r, w, []string{"v4.channel.k8s.io"}); err != nil {
		return
	}
	arriving := make(chan httpstream.Stream, 4)
	session := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
		arriving <- s
		return nil
	})
	if session == nil {
		return
	}
	defer session.Close()
	query, streams := r.URL.Query(), map[string]httpstream.Stream{}
	expected := 1
	for _, part := range []string{"input", "output", "error"} {
		if query.Get(part) == "1" {
			expected++
		}
	}
	for len(streams) < expected {
		select {
		case s := <-arriving:
			streams[s.Headers().Get("streamType")] = s
		case <-session.CloseChan():
			return
		}
	}
	fmt.Fprintln(streams["stdout"], strings.Join(query["command"], " "))
	if in := streams["stdin"]; in != nil {
		_, _ = io.Copy(streams["stdout"], in) // an error ends the command
	}
	_ = json.NewEncoder(streams["error"]).Encode(metav1.Status{Status: metav1.StatusSuccess}) // the caller may be gone
	for _, s := range streams {
		_ = s.Close()
	}
	<-session.CloseChan()
}
