package tunnel

import (
	"io"
	"net"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// cut is a connection whose bytes get lost once it is silent.
type cut struct {
	net.Conn
	silent atomic.Bool
}

// Write implements net.Conn.
func (c *cut) Write(p []byte) (int, error) {
	if c.silent.Load() {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// emptyPools forgets the channels of a bubble that package http2 keeps for other connections, which are outside of it.
func emptyPools() {
	runtime.GC()
	runtime.GC() // the first one leaves what a sync.Pool had in its victim cache
}

// TestASilentTunnelEnds: the network loses everything, and neither end closes the connection.
func TestASilentTunnelEnds(t *testing.T) {
	defer emptyPools()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		hub, agent := &cut{Conn: near}, &cut{Conn: far}
		go serve(t.Context(), agent, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
		opened, err := open(hub)
		require.NoError(t, err)
		defer opened.Close()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://anything/watch", nil)
		require.NoError(t, err)
		watch, err := opened.RoundTrip(r)
		require.NoError(t, err)
		defer watch.Body.Close()
		time.Sleep(time.Hour)
		select {
		case <-opened.Ended():
			t.Fatal("a tunnel whose ends answer each other has ended")
		default:
		}

		hub.silent.Store(true)
		agent.silent.Store(true)
		start := time.Now()
		_, err = io.Copy(io.Discard, watch.Body)
		require.Error(t, err)
		<-opened.Ended()
		require.LessOrEqual(t, time.Since(start), pingAfter+pingTimeout)
	})
}
