// Package tunnel carries HTTP requests from the hub to the agent of a cluster, over a connection that the agent opens.
//
// The agent opens a WebSocket at the API endpoint of the hub: an Upgrade of HTTP/1.1 passes the aggregator of kube-apiserver and most
// proxies, and needs no second port. HTTP/2 runs over the WebSocket with exchanged roles, so that the hub sends the requests: HTTP/2 has
// the streams, the flow control for each of them, and the pings. Each stream is a CONNECT request without an address, and carries one
// connection of HTTP/1.1 to the handler of the agent. Over such a connection, watches, logs and upgrades (exec) pass as everywhere else.
//
// A stream does not lead to the API server of the cluster itself, because the hub would need credentials of the cluster then. The
// handler of the agent adds its own.
package tunnel

import (
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/accord-dev/accord/api/delivery"
)

const (
	// pingAfter is the silence after which the hub asks the agent for a sign of life, pingTimeout the time that either waits for the answer.
	pingAfter   = 15 * time.Second
	pingTimeout = 5 * time.Second
	// agentPingAfter is the same for the agent. It is longer, so that the agent does not ask a hub that asks in time.
	agentPingAfter = pingAfter + 5*time.Second
	// maxStreams bounds the connections to the handler of one agent.
	maxStreams = 500
)

// path returns the path at which the hub accepts the tunnel of a cluster.
func path(cluster string) string {
	return "/apis/" + delivery.GroupVersion.String() + "/" + delivery.Bundles + "/" + cluster + "/" + delivery.Attach
}

// flushing sends each write at once.
type flushing struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Write implements io.Writer.
func (f flushing) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	if err == nil {
		err = f.control.Flush()
	}
	return n, err
}

// ending is a connection that tells when it ends.
type ending struct {
	net.Conn
	end func()
}

func newEnding(c net.Conn) (*ending, <-chan struct{}) {
	ended := make(chan struct{})
	return &ending{c, sync.OnceFunc(func() { close(ended) })}, ended
}

// Read implements net.Conn.
func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	if err != nil {
		e.end()
	}
	return n, err
}

// Close implements net.Conn.
func (e *ending) Close() error {
	e.end()
	return e.Conn.Close()
}
