// Package witness checks whether accord's own network works, by an address outside the clusters that accord watches, or by another
// cluster.
package witness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/accord-dev/accord/internal/egress"
)

const (
	interval = 10 * time.Second
	timeout  = 5 * time.Second
)

// Address names a witness: an http:// or https:// URL, or cluster/NAME. The zero Address names none.
type Address struct{ url, cluster string }

// String implements pflag.Value.
func (a *Address) String() string {
	if a.cluster != "" {
		return "cluster/" + a.cluster
	}
	return a.url
}

// Type implements pflag.Value.
func (*Address) Type() string { return "URL|cluster/NAME" }

// Set implements pflag.Value.
func (a *Address) Set(text string) error {
	if name, ok := strings.CutPrefix(text, "cluster/"); ok && name != "" && !strings.Contains(name, "/") {
		*a = Address{cluster: name}
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return fmt.Errorf("%q is neither an http:// or https:// URL without credentials nor cluster/NAME", text)
	}
	*a = Address{url: text}
	return nil
}

// Witness reports whether accord reaches the witness. A nil Witness is always reachable.
type Witness struct {
	address Address
	client  *http.Client
	cluster func(name string) (unreachable string)

	mu          sync.Mutex
	unreachable string // of a URL
}

// New returns the Witness of an address; nil for the zero Address. cluster returns why a cluster is unreachable, empty if it answers.
func New(address Address, cluster func(name string) (unreachable string)) *Witness {
	if address == (Address{}) {
		return nil
	}
	never := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Witness{
		address: address, cluster: cluster, unreachable: "not probed yet",
		client: &http.Client{Transport: egress.Everywhere().HTTPTransport(), CheckRedirect: never, Timeout: timeout},
	}
}

// Unreachable returns why accord does not reach the witness; empty if it does.
func (w *Witness) Unreachable() string {
	if w == nil {
		return ""
	}
	if name := w.address.cluster; name != "" {
		if why := w.cluster(name); why != "" {
			return "the witness cluster " + name + " is unreachable: " + why
		}
		return ""
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.unreachable == "" {
		return ""
	}
	return "the witness " + w.address.url + " is unreachable: " + w.unreachable
}

// Run probes a URL until ctx ends. It returns at once for a nil Witness and for a cluster, which accord probes anyway.
func (w *Witness) Run(ctx context.Context) {
	if w == nil || w.address.cluster != "" {
		return
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	defer w.client.CloseIdleConnections()
	for {
		w.probe(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// probe sends a request. Every answer counts, whatever its code: it proves that the network works.
func (w *Witness) probe(ctx context.Context) {
	why := ""
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, w.address.url, nil)
	if err == nil {
		var answer *http.Response
		if answer, err = w.client.Do(request); err == nil {
			_ = answer.Body.Close()
		}
	}
	if err != nil {
		if cause, ok := errors.AsType[*url.Error](err); ok {
			err = cause.Err // the URL is in the message already
		}
		why = err.Error()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unreachable = why
}
