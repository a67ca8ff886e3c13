package proxy

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/client-go/transport"
)

// Caller is a user whom the hub authenticated, with the groups of the user there.
type Caller struct {
	User   string
	Groups []string
}

// name writes the caller into headers.
func (c Caller) name(h http.Header) {
	h.Set(transport.ImpersonateUserHeader, c.User)
	if len(c.Groups) > 0 {
		h[transport.ImpersonateGroupHeader] = c.Groups
	}
}

// named returns the caller whom the hub wrote into headers.
func named(h http.Header) Caller {
	return Caller{User: h.Get(transport.ImpersonateUserHeader), Groups: slices.Clone(h.Values(transport.ImpersonateGroupHeader))}
}

// bearerProtocol begins the WebSocket subprotocol in which browsers send a token.
const bearerProtocol = "base64url.bearer.authorization.k8s.io."

// proving are the headers that prove or claim an identity, and those by which one proxy tells the next one about the client.
var proving = []string{"Authorization", "Proxy-Authorization", "Cookie", "Forwarded", "X-Real-Ip"}

// strip removes everything from the headers of a request that proves or claims an identity.
func strip(h http.Header) {
	for name := range h {
		if slices.Contains(proving, name) || strings.HasPrefix(name, "Impersonate-") || strings.HasPrefix(name, "X-Remote-") || strings.HasPrefix(name, "X-Forwarded-") {
			delete(h, name)
		}
	}
	const protocols = "Sec-Websocket-Protocol"
	var kept []string
	for _, value := range h.Values(protocols) {
		for p := range strings.SplitSeq(value, ",") {
			if p = strings.TrimSpace(p); p != "" && !strings.HasPrefix(p, bearerProtocol) {
				kept = append(kept, p)
			}
		}
	}
	h.Del(protocols)
	if len(kept) > 0 {
		h.Set(protocols, strings.Join(kept, ", "))
	}
}
