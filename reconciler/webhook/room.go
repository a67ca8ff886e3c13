package webhook

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/fairshare"
)

var errNoRoom = errors.New("the requests that are being read use all memory")

// room divides requests and the bytes of their bodies among remote addresses: anyone can send a request, and the signature is only
// checked at its end. An address without requests is forgotten, so that there are never more addresses than requests.
type room struct {
	requests, bytes *fairshare.Pool
	// proxies are the networks whose X-Forwarded-For is believed.
	proxies egress.Networks
}

func newRoom(requests, bytes int64, proxies egress.Networks) *room {
	return &room{requests: fairshare.New(requests), bytes: fairshare.New(bytes), proxies: proxies}
}

// sender returns the remote address of a request; of IPv6 the network of 64 bits, because a single host has all its addresses. If the
// request comes from a proxy, the address is the last one in X-Forwarded-For that is not a proxy.
func (m *room) sender(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	addr := at.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && m.isProxy(addr); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		addr = hop.Unmap()
	}
	if addr.Is4() {
		return addr.String()
	}
	network, _ := addr.WithZone("").Prefix(64)
	return network.String()
}

func (m *room) isProxy(addr netip.Addr) bool {
	for _, p := range m.proxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// boundedReader counts the bytes that it reads as those of a sender. A sender that sends nothing uses none, so that slow senders cannot
// exhaust the room.
type boundedReader struct {
	from   io.Reader
	room   *fairshare.Pool
	sender string
	used   int64
}

// Read implements io.Reader. It returns errNoRoom when the sender has its share of the room.
func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if !b.room.Take(int64(n), b.sender) {
		return n, errNoRoom
	}
	b.used += int64(n)
	return n, err
}

// release returns the used bytes.
func (b *boundedReader) release() {
	if b.used > 0 {
		b.room.Return(b.used, b.sender)
	}
}
