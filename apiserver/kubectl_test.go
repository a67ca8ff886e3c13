package apiserver_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/cmd/get"
	"k8s.io/kubectl/pkg/cmd/portforward"
	"k8s.io/kubectl/pkg/cmd/rollout"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	waitcmd "k8s.io/kubectl/pkg/cmd/wait"

	"github.com/accord-dev/accord/clusters/local/kubelet"
)

// kubectl runs a command of kubectl with the URL of a cluster on the hub, until it ends or the context does.
func (p *proxies) kubectl(ctx context.Context, cluster string, out io.Writer, args ...string) error {
	namespace := "default"
	flags := genericclioptions.NewConfigFlags(true).WithWrapConfigFn(func(*rest.Config) *rest.Config { return p.through(cluster, "alice") })
	flags.Namespace = &namespace
	flags.KubeConfig = &p.kubeconfig
	f := cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(flags))
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: out, ErrOut: p.Output()}
	root := &cobra.Command{Use: "kubectl", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(get.NewCmdGet("kubectl", f, streams), rollout.NewCmdRollout("kubectl", f, streams), waitcmd.NewCmdWait(f, streams), portforward.NewCmdPortForward(f, streams))
	root.SetArgs(args)
	done := make(chan error, 1)
	go func() { // a watch ends with the server
		defer func() {
			if end := recover(); end != nil { // kubectl exits; package members makes a panic of it
				done <- fmt.Errorf("%v", end)
			}
		}()
		done <- root.ExecuteContext(ctx)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
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

// kubectls runs get -w, rollout status, wait and port-forward of kubectl against the URL of the cluster.
func (p *proxies) kubectls(cluster string) {
	p.Setenv("KUBECACHEDIR", p.TempDir())
	direct := p.on(p.member.Config())
	ctx, cancel := context.WithTimeout(p.Context(), 60*time.Second)
	defer cancel()

	var watched buffer
	go func() { _ = p.kubectl(ctx, cluster, &watched, "get", "configmaps", "-w", "--no-headers") }() // ends with ctx
	seen := func(pattern string) {
		require.EventuallyWithT(p, func(t *assert.CollectT) { require.Regexp(t, pattern, watched.String()) }, 30*time.Second, 20*time.Millisecond)
	}
	maps, name := direct.CoreV1().ConfigMaps("default"), "kubectl-"+cluster
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := maps.Create(ctx, made, metav1.CreateOptions{})
	require.NoError(p, err)
	seen(name + ` +0 `)
	made.Data = map[string]string{"a": "1"}
	_, err = maps.Update(ctx, made, metav1.UpdateOptions{})
	require.NoError(p, err)
	seen(name + ` +1 `)
	require.NoError(p, maps.Delete(ctx, name, metav1.DeleteOptions{}))

	replicas, labels := int32(1), map[string]string{"app": name}
	deployments := direct.AppsV1().Deployments("default")
	d, err := deployments.Create(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "example/app:1"}}}},
	}}, metav1.CreateOptions{})
	require.NoError(p, err)
	p.Cleanup(func() { require.NoError(p, deployments.Delete(context.Background(), name, metav1.DeleteOptions{})) })
	var status buffer
	ended := make(chan error, 1)
	go func() { ended <- p.kubectl(ctx, cluster, &status, "rollout", "status", "deployment/"+name) }()
	require.Eventually(p, func() bool { return strings.Contains(status.String(), "Waiting for deployment") }, 30*time.Second, 20*time.Millisecond)
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
		Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue}}}
	_, err = deployments.UpdateStatus(ctx, d, metav1.UpdateOptions{})
	require.NoError(p, err)
	require.NoError(p, <-ended)
	require.Contains(p, status.String(), "successfully rolled out")
	require.NoError(p, p.kubectl(ctx, cluster, p.Output(), "wait", "--for=condition=Available", "deployment/"+name, "--timeout=20s"))

	var forwarding buffer
	go func() {
		_ = p.kubectl(ctx, cluster, &forwarding, "port-forward", "pod/web", ":80", "--address", "127.0.0.1")
	}() // ends with the test
	address := regexp.MustCompile(`Forwarding from (127\.0\.0\.1:\d+) -> 80`)
	require.Eventually(p, func() bool { return address.MatchString(forwarding.String()) }, 30*time.Second, 20*time.Millisecond)
	connection, err := net.Dial("tcp", address.FindStringSubmatch(forwarding.String())[1])
	require.NoError(p, err)
	defer connection.Close()
	fmt.Fprintln(connection, "hello")
	lines := bufio.NewScanner(connection)
	for _, want := range []string{kubelet.Forwarded("default", "web", "80"), "hello"} {
		require.True(p, lines.Scan(), "%v", lines.Err())
		require.Equal(p, want, lines.Text())
	}
}
