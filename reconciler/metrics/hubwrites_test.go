package metrics

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// closable counts how often its idle connections are closed.
type closable struct {
	http.RoundTripper
	closed int
}

func (c *closable) CloseIdleConnections() { c.closed++ }

// A manager that stops closes the idle connections of the hub, through the transport that counts.
func TestHubTransportIsUnwrapped(t *testing.T) {
	next := &closable{}
	utilnet.CloseIdleConnectionsFor((&HubWrites{}).Wrap(next))
	require.Equal(t, 1, next.closed)
}
