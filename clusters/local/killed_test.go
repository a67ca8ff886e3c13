package local_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/clusters/local"
)

// childDir, when set, turns the test binary into a program that runs a control plane there until its stdin ends.
const childDir = "ACCORD_TEST_CONTROL_PLANE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(runChild(dir))
	}
	os.Exit(m.Run())
}

func runChild(dir string) int {
	c, err := local.Start(context.Background(), local.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(c.Kubeconfig())
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := c.Stop(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// A child is a process of its own that runs a control plane.
type child struct {
	*exec.Cmd
	kubeconfig string
	stdin      io.Closer
	stdout     *bufio.Scanner
	stderr     strings.Builder
}

// startChild returns when the child's control plane is ready.
func startChild(t *testing.T, dir string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0])}
	c.Env = append(os.Environ(), childDir+"="+dir)
	c.Stderr = &c.stderr
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Cmd.Start())
	t.Cleanup(func() { _ = c.Process.Kill() })
	c.stdin, c.stdout = in, bufio.NewScanner(out)
	require.True(t, c.stdout.Scan(), "the child ended before it was ready")
	c.kubeconfig = c.stdout.Text()
	return c
}

func TestAControlPlaneWithoutALoggerIsSilent(t *testing.T) {
	t.Parallel()
	c := startChild(t, t.TempDir())
	require.NoError(t, c.stdin.Close())
	require.False(t, c.stdout.Scan(), "printed: %s", c.stdout.Text())
	require.NoError(t, c.Wait())
	require.Empty(t, c.stderr.String())
}

func TestAKilledProcessLosesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := startChild(t, dir)
	config, err := clientcmd.BuildConfigFromFlags("", child.kubeconfig)
	require.NoError(t, err)
	_, err = client(t, config).CoreV1().ConfigMaps("default").Create(t.Context(), configMap("written"), metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = local.Start(t.Context(), local.Options{Dir: dir})
	require.ErrorContains(t, err, dir+" is in use", "two processes share a directory")

	require.NoError(t, child.Process.Kill())
	_ = child.Wait() // says that it was killed
	c := start(t, local.Options{Dir: dir})
	require.Equal(t, config.Host, c.Config().Host)
	_, err = client(t, c.Config()).CoreV1().ConfigMaps("default").Get(t.Context(), "written", metav1.GetOptions{})
	require.NoError(t, err)
}
