package reconciler_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// cable is a TCP connection to a member that can be cut and mended.
type cable struct {
	listener net.Listener
	target   string
	mu       sync.Mutex
	cut      bool
	silent   bool
	open     map[net.Conn]bool
	count    int // of accepted connections
}

// newCable listens on loopback and passes everything on to the API server at host ("https://127.0.0.1:port").
func newCable(t *testing.T, host string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cable{listener: l, target: strings.TrimPrefix(host, "https://"), open: map[net.Conn]bool{}}
	var done sync.WaitGroup
	done.Go(c.serve)
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		c.setCut(true)
		done.Wait()
	})
	return c
}

func (c *cable) host() string { return "https://" + c.listener.Addr().String() }

func (c *cable) serve() {
	var pipes sync.WaitGroup
	defer pipes.Wait()
	for {
		near, err := c.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", c.target)
		if err != nil || !c.keep(near, far) {
			near.Close()
			continue
		}
		if c.isSilent() {
			continue // keep has the connections, and setSilent closes them
		}
		pipes.Go(func() { _, _ = io.Copy(far, near); far.Close() })
		pipes.Go(func() { _, _ = io.Copy(near, far); near.Close() })
	}
}

// keep registers a connection, unless the cable is cut.
func (c *cable) keep(near, far net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		far.Close()
		return false
	}
	c.open[near], c.open[far] = true, true
	c.count++
	return true
}

// accepted returns the number of connections that the hub has opened.
func (c *cable) accepted() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

func (c *cable) isCut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut
}

func (c *cable) isSilent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.silent
}

// setSilent makes the member a black hole, which accepts connections and answers nothing, or a member again.
func (c *cable) setSilent(silent bool) {
	c.mu.Lock()
	c.silent = silent
	c.mu.Unlock()
	c.setCut(true)
	c.setCut(false)
}

// setCut cuts all connections, or lets new ones through again.
func (c *cable) setCut(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	if cut {
		for conn := range c.open {
			conn.Close()
		}
		clear(c.open)
	}
}
