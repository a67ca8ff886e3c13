// Package localtest gives tests real control planes: start one, use it, and the test's end stops it.
//
// The control planes run in processes of the program clusters/local/members, which the go command builds once. A
// test binary therefore links a client and not Kubernetes.
package localtest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// A ControlPlane is one API server of a Process. Its methods may be called from any goroutine.
type ControlPlane struct {
	kubeconfig string
	config     *rest.Config
}

// Config returns the administrator's client configuration (group system:masters, client certificate), without a
// client-side rate limit. Each call returns a copy of its own.
func (c *ControlPlane) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Kubeconfig returns the path of the administrator's kubeconfig file.
func (c *ControlPlane) Kubeconfig() string { return c.kubeconfig }

// Start runs a control plane of that name on a fresh directory. It ends with the test, after the cleanups
// registered later than it.
func Start(t testing.TB, name string) *ControlPlane {
	t.Helper()
	return Members(t, name)[name]
}

// Members runs one control plane per name in one process, each with a directory of its own.
func Members(t testing.TB, names ...string) map[string]*ControlPlane {
	t.Helper()
	dir, err := os.MkdirTemp("", "accord-test-") // not t.TempDir, which is too long for the sockets below it
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	p, err := Launch(dir, names...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Kill()) })
	return p.Planes
}

// RunPods runs the workload controllers, the scheduler and so many fake nodes in each of the clusters until the end
// of the test, and returns when the nodes are ready. See package kwok for the images that do not run.
func RunPods(t testing.TB, nodes int, clusters ...*ControlPlane) {
	t.Helper()
	p, err := attach(nodes, clusters)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Kill()) })
}
