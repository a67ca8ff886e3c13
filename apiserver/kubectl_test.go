package apiserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/clusters/local/kubelet"
)

// kubectl is the program of go.mod, as user alice with the server at a path on the hub.
type kubectl struct {
	*testing.T
	path string
	args []string
	env  []string
}

// program returns the path of a program that the go command builds once.
func program(t *testing.T, name string) string {
	out, err := exec.CommandContext(t.Context(), "go", "tool", "-n", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func (p *proxies) kubectl(server string) *kubectl {
	home := p.TempDir()
	editor := filepath.Join(home, "editor")
	require.NoError(p, os.WriteFile(editor, []byte("#!/bin/sh\nsed -i 's/^  a: .*/  a: edited/' \"$1\"\n"), 0o755))
	return &kubectl{
		T: p.T, path: program(p.T, "kubectl"), args: []string{"--kubeconfig=" + p.kubeconfig, "--server=" + p.hub.Host + server, "--as=alice", "--as-group=system:authenticated", "--namespace=default"},
		env: append(os.Environ(), "HOME="+home, "KUBECACHEDIR="+filepath.Join(home, "cache"), "KUBE_EDITOR="+editor),
	}
}

func (k *kubectl) command(ctx context.Context, in string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, k.path, append(k.args, args...)...)
	c.Env, c.Stdin = k.env, strings.NewReader(in)
	return c
}

// run runs kubectl with a standard input, and returns its output with its errors, and its exit code.
func (k *kubectl) run(in string, args ...string) (out string, code int) {
	ctx, cancel := context.WithTimeout(k.Context(), patience)
	defer cancel()
	text, err := k.command(ctx, in, args...).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(text), exit.ExitCode()
	}
	require.NoError(k, err)
	return string(text), 0
}

// succeeds runs kubectl, and returns its output.
func (k *kubectl) succeeds(in string, args ...string) string {
	k.Helper()
	out, code := k.run(in, args...)
	require.Zero(k, code, "kubectl %s: %s", strings.Join(args, " "), out)
	return out
}

// follow runs kubectl until the end of the test, and returns a function that waits for a pattern of the output.
func (k *kubectl) follow(args ...string) (sees func(pattern string) []string) {
	ctx, cancel := context.WithCancel(context.Background())
	c := k.command(ctx, "", args...)
	out := &buffer{}
	c.Stdout, c.Stderr = out, out
	require.NoError(k, c.Start())
	k.Cleanup(func() { cancel(); _ = c.Wait() }) // a program that is killed ends with an error
	return func(pattern string) []string {
		k.Helper()
		p := regexp.MustCompile(pattern)
		require.EventuallyWithT(k, func(t *assert.CollectT) { require.Regexp(t, p, out.String(), "kubectl %v", args) }, patience, 20*time.Millisecond)
		return p.FindStringSubmatch(out.String())
	}
}

// buffer is a buffer that a command writes while the test reads it.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// onCluster runs kubectl against the URL of a cluster.
func (p *proxies) onCluster(cluster string) {
	k := p.kubectl(proxyPath + cluster + "/proxy")
	p.conforms(k, "cluster-"+cluster)
	require.Contains(p, k.succeeds("", "create", "configmap", "made-"+cluster, "--from-literal=a=1"), "created")
	require.Contains(p, k.succeeds("", "delete", "configmap", "made-"+cluster), "deleted")
}

// onAll runs kubectl against the URL of all clusters.
func (p *proxies) onAll() {
	p.registered("default", "push")
	p.conforms(p.kubectl(proxyingPath), "all")
}

// conforms runs commands of kubectl that read, watch, write and connect.
func (p *proxies) conforms(k *kubectl, name string) {
	direct := p.on(p.member.Config())
	ctx := p.Context()
	maps, deployments := direct.CoreV1().ConfigMaps("default"), direct.AppsV1().Deployments("default")

	watched := k.follow("get", "configmaps", "-w", "--no-headers", "--output-watch-events")
	logged := k.follow("logs", "-f", "web")
	forwarded := k.follow("port-forward", "pod/web", ":80", "--address", "127.0.0.1")
	made, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(p, err)
	p.Cleanup(func() { require.NoError(p, maps.Delete(context.Background(), name, metav1.DeleteOptions{})) })
	watched(`(?m)^ADDED +` + name + ` +0 `)
	made.Data = map[string]string{"a": "1"}
	_, err = maps.Update(ctx, made, metav1.UpdateOptions{})
	require.NoError(p, err)
	watched(`(?m)^MODIFIED +` + name + ` +1 `)

	require.Contains(p, k.succeeds("", "edit", "configmap", name), "edited")
	edited, err := maps.Get(ctx, name, metav1.GetOptions{})
	require.NoError(p, err)
	require.Equal(p, map[string]string{"a": "edited"}, edited.Data)
	require.NotContains(p, edited.Annotations, "resource.karmada.io/cached-from-cluster")

	replicas, labels := int32(1), map[string]string{"app": name}
	d, err := deployments.Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "example/app:1"}}}},
	}}, metav1.CreateOptions{})
	require.NoError(p, err)
	p.Cleanup(func() { require.NoError(p, deployments.Delete(context.Background(), name, metav1.DeleteOptions{})) })
	require.EventuallyWithT(p, func(t *assert.CollectT) { // the view of all clusters has the Deployment a moment later
		_, code := k.run("", "get", "deployment", name)
		require.Zero(t, code)
	}, patience, 50*time.Millisecond)
	status := k.follow("rollout", "status", "deployment/"+name)
	status("Waiting for deployment")
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
		Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}}}
	_, err = deployments.UpdateStatus(ctx, d, metav1.UpdateOptions{})
	require.NoError(p, err)
	status("successfully rolled out")
	require.Contains(p, k.succeeds("", "wait", "--for=condition=Available", "deployment/"+name, "--timeout=20s"), "condition met")

	logged(regexp.QuoteMeta(strings.Join(webLog, "\n") + "\n"))
	require.Equal(p, "say it\nloudly", k.succeeds("loudly", "exec", "-i", "web", "--", "say", "it"))
	out, code := k.run("", "exec", "web", "--", "sh", "-c", "exit 3")
	require.Equal(p, 3, code, out)
	require.Equal(p, strings.Join(webLog, "\n")+"\nloudly", k.succeeds("loudly", "attach", "-i", "-q", "web"))
	require.Regexp(p, `(?m)^web +250m +64Mi *$`, k.succeeds("", "top", "pods"))

	connection, err := net.Dial("tcp", forwarded(`Forwarding from (127\.0\.0\.1:\d+) -> 80`)[1])
	require.NoError(p, err)
	defer connection.Close()
	fmt.Fprintln(connection, "hello")
	lines := bufio.NewScanner(io.LimitReader(connection, 1<<10))
	for _, want := range []string{kubelet.Forwarded("default", "web", "80"), "hello"} {
		require.True(p, lines.Scan(), "%v", lines.Err())
		require.Equal(p, want, lines.Text())
	}
}
