package local

import (
	"bytes"
	"crypto/rand"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	genericapiserver "k8s.io/apiserver/pkg/server"

	"github.com/accord-dev/accord/api/delivery"
)

// sized records the sizes of the buffers that its reader is given.
type sized struct {
	from  io.Reader
	sizes []int
}

func (s *sized) Read(p []byte) (int, error) {
	s.sizes = append(s.sizes, len(p))
	return s.from.Read(p)
}

// A tunnel copies each byte in both directions. It waits with a small buffer, and has a large one only while many bytes arrive.
func TestTunnelWaitsWithASmallBuffer(t *testing.T) {
	room := &sync.Pool{New: func() any { return new([busyBuffer]byte) }}
	bulk := make([]byte, 100_000)
	_, _ = rand.Read(bulk)
	for _, direction := range []string{"to the agent", "from the agent"} {
		t.Run(direction, func(t *testing.T) {
			reader, writer := io.Pipe()
			from, near, far := &sized{from: reader}, net.Conn(nil), net.Conn(nil)
			near, far = net.Pipe()
			defer far.Close()
			received := make(chan []byte)
			go func() {
				for _, text := range [][]byte{[]byte("ping"), bulk, []byte("pong"), []byte("ping")} {
					_, _ = writer.Write(text)
				}
				_ = writer.Close()
			}()
			if direction == "to the agent" {
				go func() { all, _ := io.ReadAll(far); received <- all }()
				n, err := io.Copy(tunnelConn{near, room}, struct{ io.Reader }{from})
				require.NoError(t, err)
				require.EqualValues(t, len(bulk)+12, n)
			} else {
				got := &bytes.Buffer{}
				n, err := io.Copy(struct{ io.Writer }{got}, tunnelConn{readsFrom{near, from}, room})
				require.NoError(t, err)
				require.EqualValues(t, len(bulk)+12, n)
				go func() { received <- got.Bytes() }()
			}
			_ = near.Close()
			require.Equal(t, "ping"+string(bulk)+"pongping", string(<-received))
			require.Equal(t, idleBuffer, from.sizes[0])
			require.Contains(t, from.sizes, busyBuffer)
			require.Equal(t, idleBuffer, from.sizes[len(from.sizes)-1])
		})
	}
}

// readsFrom is a connection that reads from another reader.
type readsFrom struct {
	net.Conn
	from io.Reader
}

func (r readsFrom) Read(p []byte) (int, error) { return r.from.Read(p) }

// Only the connections that agents take over for their tunnels have small buffers.
func TestOnlyTunnelsHaveSmallBuffers(t *testing.T) {
	took := make(chan net.Conn, 1)
	chain := withSmallBuffers(func(next http.Handler, _ *genericapiserver.Config) http.Handler { // with one of the filters
		return filters.WithRequestInfo(next, &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")})
	})
	s := httptest.NewServer(chain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = c.Close()
		}
		took <- c
	}), nil))
	defer s.Close()
	bundle := "/apis/" + delivery.GroupVersion.String() + "/" + delivery.Bundles + "/eu/"
	for path, small := range map[string]bool{bundle + delivery.Attach: true, bundle + delivery.Index: false, "/api/v1/namespaces/default/pods/p/attach": false} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		require.NoError(t, err)
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "websocket")
		if answer, err := http.DefaultClient.Do(r); err == nil {
			_ = answer.Body.Close()
		}
		_, is := (<-took).(tunnelConn)
		require.Equal(t, small, is, path)
	}
}
