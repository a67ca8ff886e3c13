package reconciler_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accord-dev/accord/apiserver"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/reconciler"
	"github.com/accord-dev/accord/reconciler/member"
)

// Environment variables that make this test binary a program that a test can kill: killableEnv the controllers on the hub of
// a kubeconfig, with their Git clones in killableEnv_CACHE, as the replica replicaEnv of several if that is set. With quickEnv, clusters fail as fast as in other tests,
// and with apiEnv it serves the aggregated API of a hub on this machine.
const (
	killableEnv = "ACCORD_TEST_KUBECONFIG"
	replicaEnv  = "ACCORD_TEST_REPLICA"
	quickEnv    = "ACCORD_TEST_QUICK"
	apiEnv      = "ACCORD_TEST_API"
)

func TestMain(m *testing.M) {
	if os.Getenv(killableEnv) == "" {
		os.Exit(m.Run())
	}
	fmt.Fprintln(os.Stderr, controllersMain(os.Getenv(killableEnv), os.Getenv(killableEnv+"_CACHE")))
	os.Exit(1)
}

func controllersMain(kubeconfig, cache string) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _, _ = io.Copy(io.Discard, os.Stdin); cancel() }() // the test that started it is gone
	log := logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, nil))
	replica := os.Getenv(replicaEnv)
	var thresholds member.Health
	if os.Getenv(quickEnv) != "" {
		thresholds = health
	}
	var published *bundles.Store
	if os.Getenv(apiEnv) != "" {
		published = bundles.New(bundles.CompressedLimit)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		go func() {
			err := apiserver.Run(ctx, cfg, apiserver.Options{
				Bundles: published, Listener: listener, Namespace: "accord-system", Local: true, Replica: replica, Address: listener.Addr().String(), Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
			})
			fmt.Fprintln(os.Stderr, "the aggregated API ended:", err)
		}()
	}
	return reconciler.Run(ctx, cfg, reconciler.Options{
		Bundles: published, Health: thresholds, CacheDir: cache, Sources: everySource(), Log: log, LeaderElection: replica != "", Share: replica != "", Replica: replica, Namespace: "accord-system",
		SecretsNamespace: "demo",
	})
}

// victim is a process that is killed.
type victim struct {
	*exec.Cmd
	stdin io.Closer
}

// start runs this binary as env says; what it says goes to log.
func start(t *testing.T, log io.Writer, env ...string) (v victim) {
	t.Helper()
	v.Cmd = exec.Command(os.Args[0])
	v.Env = append(os.Environ(), env...)
	v.Stderr = log
	in, err := v.StdinPipe()
	require.NoError(t, err)
	v.stdin = in
	require.NoError(t, v.Cmd.Start())
	t.Cleanup(func() { _ = v.Process.Kill(); _ = v.Wait() })
	return v
}

// kill ends it with SIGKILL, and returns when it is gone.
func (v victim) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, v.Process.Kill())
	require.Error(t, v.Wait(), "it was killed")
	_ = v.stdin.Close()
}
