package local

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"
)

const (
	// idleBuffer is the size of the buffer in which a tunnel waits for its next bytes, and busyBuffer the size while there are many.
	idleBuffer = 1 << 10
	busyBuffer = 32 << 10
)

// withSmallBuffers has the tunnels of agents wait with small buffers behind the filters of a server. The API server copies between the agent
// and accord with 32 KiB in each direction, and a tunnel is idle nearly always.
func withSmallBuffers(filters func(http.Handler, *genericapiserver.Config) http.Handler) func(http.Handler, *genericapiserver.Config) http.Handler {
	room := &sync.Pool{New: func() any { return new([busyBuffer]byte) }}
	return func(next http.Handler, c *genericapiserver.Config) http.Handler {
		return filters(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if opensTunnel(r) {
				w = hijacker{w, room}
			}
			next.ServeHTTP(w, r)
		}), c)
	}
}

// opensTunnel reports whether an agent opens its tunnel.
func opensTunnel(r *http.Request) bool {
	info, known := request.RequestInfoFrom(r.Context())
	return known && info.APIGroup == "delivery.accord.dev" && info.Subresource == "attach" && httpstream.IsUpgradeRequest(r)
}

// hijacker is a ResponseWriter whose connection is copied through small buffers once it is taken over.
type hijacker struct {
	http.ResponseWriter
	room *sync.Pool // *[busyBuffer]byte
}

// Unwrap serves http.ResponseController.
func (h hijacker) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// Hijack implements http.Hijacker.
func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, buffered, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return tunnelConn{c, h.room}, buffered, nil
}

// tunnelConn is a connection whose io.Copy, in both directions, uses small buffers.
type tunnelConn struct {
	net.Conn
	room *sync.Pool // *[busyBuffer]byte
}

// ReadFrom implements io.ReaderFrom.
func (c tunnelConn) ReadFrom(from io.Reader) (int64, error) { return c.pass(c.Conn, from) }

// WriteTo implements io.WriterTo.
func (c tunnelConn) WriteTo(to io.Writer) (int64, error) { return c.pass(to, c.Conn) }

// pass copies until the end of from. It waits with a small buffer, and takes a large one from the pool while more bytes arrive at once than
// fit into the small one.
func (c tunnelConn) pass(to io.Writer, from io.Reader) (all int64, err error) {
	small := make([]byte, idleBuffer)
	buffer, large := small, (*[busyBuffer]byte)(nil)
	defer func() {
		if large != nil {
			c.room.Put(large)
		}
	}()
	for {
		n, failed := from.Read(buffer)
		if n > 0 {
			written, err := to.Write(buffer[:n])
			all += int64(written)
			if err != nil {
				return all, err
			}
		}
		switch {
		case failed == io.EOF:
			return all, nil
		case failed != nil:
			return all, failed
		case large == nil && n == len(small):
			large = c.room.Get().(*[busyBuffer]byte)
			buffer = large[:]
		case large != nil && n < len(small):
			c.room.Put(large)
			buffer, large = small, nil
		}
	}
}
