// Package fanout sends a read request to several API servers behind one hub, and answers it with what all of them answered. A client that
// was written for one API server, such as kubectl, then reads all of them.
package fanout

import (
	"cmp"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/members/merge"
)

// Server is one of the API servers: a cluster, or the hub itself.
type Server struct {
	merge.Source
	// Limit is the time for an answer, and for the beginning of a watch.
	Limit time.Duration
}

// path returns the path on the hub that leads to the server.
func (s Server) path() string {
	if s.Hub {
		return ""
	}
	return hub.ProxyPath(s.Name)
}

// Failure is the error of one server.
type Failure struct {
	Server string
	Err    error
}

// Fleet is the servers of one command. It collects their errors. It is safe for concurrent use.
type Fleet struct {
	servers []Server
	// base is the path of the address of the hub.
	base string
	// warn is called when a server fails while the others are watched.
	warn func(Failure)

	mu       sync.Mutex
	failures []Failure
}

// New returns a Fleet. Base is the path of the address of the hub; warn is called when a server fails while others are watched.
func New(servers []Server, base string, warn func(Failure)) *Fleet {
	return &Fleet{servers: servers, base: base, warn: warn}
}

// Wrap returns a transport that sends the read requests for the hub to all servers of the fleet.
func (f *Fleet) Wrap(next http.RoundTripper) http.RoundTripper {
	return &transport{fleet: f, next: next}
}

// Failures returns the errors of servers whose answers are missing, by server. A server without the kind or the object that another server
// has does not fail.
func (f *Fleet) Failures() []Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Clone(f.failures)
	slices.SortStableFunc(all, func(a, b Failure) int { return cmp.Compare(a.Server, b.Server) })
	return slices.CompactFunc(all, func(a, b Failure) bool { return a.Server == b.Server && a.Err.Error() == b.Err.Error() })
}

// fail records the errors of servers.
func (f *Fleet) fail(failures ...Failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, failures...)
}
