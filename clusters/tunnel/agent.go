package tunnel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/net/http2"
	"k8s.io/client-go/rest"
)

const (
	// firstRetry and lastRetry bound the pause before the next attempt to open the tunnel. Half of each pause is random.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
	// dialTimeout bounds one attempt.
	dialTimeout = 30 * time.Second
	// headerTimeout bounds the time in which the hub sends the header of a request.
	headerTimeout = 30 * time.Second
)

// Keep keeps the tunnel of a cluster open until ctx ends. It connects to the hub with cfg, and gives the requests of the hub to handler.
func Keep(ctx context.Context, cfg *rest.Config, cluster string, handler http.Handler, log *slog.Logger) {
	pause := firstRetry
	for ctx.Err() == nil {
		begun := time.Now()
		err := attach(ctx, cfg, cluster, handler, log)
		if ctx.Err() != nil {
			return
		}
		if time.Since(begun) > lastRetry {
			pause = firstRetry
		}
		log.Warn("the tunnel to the hub is closed, opening it again", "cluster", cluster, "error", err)
		select {
		case <-time.After(pause/2 + rand.N(pause/2)):
		case <-ctx.Done():
		}
		pause = min(2*pause, lastRetry)
	}
}

// attach opens the tunnel once, and serves it until it ends.
func attach(ctx context.Context, cfg *rest.Config, cluster string, handler http.Handler, log *slog.Logger) error {
	client, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return err
	}
	base, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return err
	}
	dialing, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	ws, _, err := websocket.Dial(dialing, base.JoinPath(path(cluster)).String(), &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		return fmt.Errorf("opening it: %w", err)
	}
	log.Info("the tunnel to the hub is open", "cluster", cluster)
	serve(ctx, websocket.NetConn(ctx, ws, websocket.MessageBinary), handler)
	return errors.New("the connection ended")
}

// serve gives the requests that arrive over a connection to handler, until the connection or ctx ends.
func serve(ctx context.Context, conn net.Conn, handler http.Handler) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	accepting := &streams{accepted: make(chan net.Conn), ended: ctx.Done()}
	discard := log.New(io.Discard, "", 0) // the hub reports what fails
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout, ErrorLog: discard, BaseContext: func(net.Listener) context.Context { return ctx }}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(accepting) })
	multiplexer := &http2.Server{MaxConcurrentStreams: maxStreams, ReadIdleTimeout: agentPingAfter, PingTimeout: pingTimeout}
	multiplexer.ServeConn(conn, &http2.ServeConnOpts{Context: ctx, BaseConfig: &http.Server{ErrorLog: discard}, Handler: accepting})
	cancel()
	_ = server.Close()
	serving.Wait()
}

// streams is a listener whose connections are the streams of a tunnel.
type streams struct {
	accepted chan net.Conn
	ended    <-chan struct{}
}

// ServeHTTP makes a stream a connection, and returns when the connection ends. The connection is a pipe, because net/http needs
// deadlines that can pass more than once.
func (s *streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(w, "a stream of the tunnel begins with CONNECT", http.StatusMethodNotAllowed)
		return
	}
	near, far := net.Pipe()
	defer near.Close()
	select {
	case s.accepted <- far:
	case <-s.ended:
		_ = far.Close()
		http.Error(w, "the agent stops", http.StatusServiceUnavailable)
		return
	}
	control := http.NewResponseController(w)
	w.WriteHeader(http.StatusOK)
	if err := control.Flush(); err != nil {
		return
	}
	go func() {
		_, _ = io.Copy(near, r.Body) // its end is that of the connection
		_ = near.Close()
	}()
	_, _ = io.Copy(flushing{w, control}, near)
}

// Accept implements net.Listener.
func (s *streams) Accept() (net.Conn, error) {
	select {
	case c := <-s.accepted:
		return c, nil
	case <-s.ended:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. The end of the tunnel closes the listener.
func (s *streams) Close() error { return nil }

// Addr implements net.Listener.
func (s *streams) Addr() net.Addr { return &net.UnixAddr{Name: "tunnel", Net: "tunnel"} }
