package tunnel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
	"golang.org/x/net/http2"
)

// idleTimeout is the time after which an unused connection through a tunnel ends.
const idleTimeout = time.Minute

// Tunnel is the hub's end of a tunnel. It sends requests to the handler of the agent.
type Tunnel struct {
	streams  *http2.ClientConn
	requests *http.Transport
	ended    <-chan struct{}
	conn     net.Conn
}

// Accept accepts the tunnel that a request of an agent opens. The tunnel outlives the request. After an error the request is answered.
func Accept(w http.ResponseWriter, r *http.Request) (*Tunnel, error) {
	ws, err := websocket.Accept(w, r, nil)
	if err != nil {
		return nil, fmt.Errorf("accepting the tunnel: %w", err)
	}
	return open(websocket.NetConn(context.Background(), ws, websocket.MessageBinary))
}

func open(conn net.Conn) (*Tunnel, error) {
	watched, ended := newEnding(conn)
	streams, err := (&http2.Transport{AllowHTTP: true, ReadIdleTimeout: pingAfter, PingTimeout: pingTimeout}).NewClientConn(watched)
	if err != nil {
		_ = watched.Close()
		return nil, fmt.Errorf("opening the tunnel: %w", err)
	}
	t := &Tunnel{streams: streams, ended: ended, conn: watched}
	t.requests = &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return t.Dial(ctx) }, DisableCompression: true, IdleConnTimeout: idleTimeout, MaxIdleConnsPerHost: maxStreams / 10,
	}
	return t, nil
}

// Ended is closed when the tunnel ends.
func (t *Tunnel) Ended() <-chan struct{} { return t.ended }

// Close ends the tunnel with all requests that pass through it.
func (t *Tunnel) Close() {
	_ = t.streams.Close()
	_ = t.conn.Close()
	t.requests.CloseIdleConnections()
}

// RoundTrip implements http.RoundTripper. The host of the request counts for nothing: the agent serves it.
func (t *Tunnel) RoundTrip(r *http.Request) (*http.Response, error) { return t.requests.RoundTrip(r) }

// Dial returns a connection of HTTP/1.1 to the handler of the agent.
func (t *Tunnel) Dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	living, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the connection outlives the request that it is made for
	defer context.AfterFunc(ctx, cancel)()
	connect := (&http.Request{Method: http.MethodConnect, URL: &url.URL{Scheme: "http", Host: "agent"}, Host: "agent", Header: http.Header{}, Body: sending{near}}).WithContext(living)
	resp, err := t.streams.RoundTrip(connect)
	if err == nil && resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		err = errors.New("the agent answers " + resp.Status)
	}
	if err != nil {
		cancel()
		_ = near.Close()
		return nil, fmt.Errorf("the tunnel of the agent: %w", err)
	}
	go func() {
		defer cancel()
		_, _ = io.Copy(near, resp.Body) // its end is that of the connection
		_ = near.Close()
		_ = resp.Body.Close()
	}()
	return far, nil
}

// sending is the body of a stream: the bytes that the user of a connection writes. The HTTP/2 client closes the body when the stream or the
// tunnel ends, and waits until its Read returns; the last bytes of the answer are copied to the user after that.
type sending struct{ net.Conn }

// Close implements io.Closer. It ends reads only.
func (s sending) Close() error { return s.SetReadDeadline(time.Unix(1, 0)) }
