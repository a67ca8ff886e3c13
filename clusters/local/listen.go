package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/url"
	"strconv"
	"syscall"

	"k8s.io/client-go/tools/clientcmd"
)

// New ports are below the range from which systems take ports for outgoing connections (32768 and up),
// so that the port of a stopped control plane is still free when it comes back.
const (
	firstPort = 20000
	lastPort  = 31999
)

// listen opens the API server's port on 127.0.0.1: the one asked for, else the one in the kubeconfig of the
// last run, else a free one. A port that is asked for or remembered must be free: clients have it in their
// kubeconfigs.
func listen(ctx context.Context, port int, kubeconfig string) (net.Listener, error) {
	if port == 0 {
		var err error
		if port, err = rememberedPort(kubeconfig); err != nil {
			return nil, err
		}
	}
	if port == 0 {
		return listenAnywhere(ctx)
	}
	l, err := listenOn(ctx, port)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &PortTakenError{port}
	}
	if err != nil {
		return nil, fmt.Errorf("listening on the control plane's port %d: %w", port, err)
	}
	return l, nil
}

// PortTakenError is the error of a control plane whose port another process has. Options.Port selects another one.
type PortTakenError struct{ Port int }

func (e *PortTakenError) Error() string {
	return fmt.Sprintf("another process listens on the control plane's port %d", e.Port)
}

func listenOn(ctx context.Context, port int) (net.Listener, error) {
	var c net.ListenConfig
	return c.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

func listenAnywhere(ctx context.Context) (net.Listener, error) {
	for range 100 {
		l, err := listenOn(ctx, firstPort+rand.IntN(lastPort-firstPort+1))
		if err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return l, err
		}
	}
	return nil, fmt.Errorf("no free port found between %d and %d", firstPort, lastPort)
}

// rememberedPort is the port in the kubeconfig a former run left behind, 0 if there was none.
func rememberedPort(kubeconfig string) (int, error) {
	c, err := clientcmd.LoadFromFile(kubeconfig)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the port of the last run: %w", err)
	}
	for _, cluster := range c.Clusters { // writeKubeconfig writes one
		u, err := url.Parse(cluster.Server)
		if err != nil {
			return 0, fmt.Errorf("reading the port of the last run from %s: %w", kubeconfig, err)
		}
		return strconv.Atoi(u.Port())
	}
	return 0, nil
}
