package local_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
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

// childFileSize limits the size of the files that the child may write, in bytes; empty for no limit.
const childFileSize = "ACCORD_TEST_FILE_SIZE"

func runChild(dir string) int {
	o := local.Options{Dir: dir}
	if limit, err := strconv.ParseUint(os.Getenv(childFileSize), 10, 64); err == nil {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			fmt.Println(err)
			return 1
		}
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	}
	c, err := local.Start(context.Background(), o)
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
func startChild(t *testing.T, dir string, env ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0])}
	c.Env = append(append(os.Environ(), childDir+"="+dir), env...)
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

// TestDefectR6AFailedWriteEndsWithASentence: etcd ends the process when a file cannot grow. The last line of the log has file, cause and
// remedy.
func TestDefectR6AFailedWriteEndsWithASentence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := startChild(t, dir, fmt.Sprintf("%s=%d", childFileSize, 24<<20))
	cfg, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	require.NoError(t, err)
	k := kubernetes.NewForConfigOrDie(cfg)
	for i := 0; err == nil; i++ {
		require.Less(t, i, 100, "the store takes more than its files may have")
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("large-", i)}, Data: map[string]string{"x": strings.Repeat("x", 900<<10)}}
		_, err = k.CoreV1().ConfigMaps("default").Create(t.Context(), cm, metav1.CreateOptions{})
	}
	require.Error(t, c.Wait(), "the process ends with an error")
	lines := strings.Split(strings.TrimSpace(c.stderr.String()), "\n")
	last := lines[len(lines)-1]
	require.Contains(t, last, "level=ERROR")
	require.Contains(t, last, "the hub stops, because its store in "+filepath.Join(dir, "etcd")+" failed: ")
	require.Contains(t, last, "file too large; check its file system, and start again")

	again := startChild(t, dir) // with the limit gone
	require.NoError(t, again.stdin.Close())
	require.NoError(t, again.Wait())
}
