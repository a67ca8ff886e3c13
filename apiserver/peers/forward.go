package peers

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httputil"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/request/headerrequest"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/transport"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/certificate"
	"github.com/accord-dev/accord/clusters/proxy"
)

// Authenticator authenticates the requests that another replica forwards. As the hub's API server does, the replica proves itself by its
// certificate, and names the user whom it has authenticated.
func (p *Peers) Authenticator() authenticator.Request {
	list := func(all ...string) headerrequest.StringSliceProvider { return headerrequest.StaticStringSlice(all) }
	return headerrequest.NewDynamicVerifyOptionsSecure(p.Trust.VerifyOptions, list(certificate.Replica),
		list("X-Remote-User"), list("X-Remote-Uid"), list("X-Remote-Group"), list("X-Remote-Extra-"))
}

// Forward forwards a request for bundles to the replica that publishes them, in the name of its user, and copies the answer as it arrives.
// It reports whether there is such a replica; otherwise nothing is answered. The request ends when stopping is closed.
func (p *Peers) Forward(w http.ResponseWriter, r *http.Request, u user.Info, stopping <-chan struct{}) bool {
	if p.Trust.CheckReplica(r) == nil { // that replica took this one for the publisher
		return false
	}
	address, err := p.findPublisher(r.Context())
	if err != nil {
		return false
	}
	// The body is read first: the other replica may answer while it is still on its way, and a connection that broke can be replaced.
	body, err := io.ReadAll(io.LimitReader(r.Body, delivery.MaxAnswerBytes+1)) // the longest one that a request for bundles may have
	if err != nil {
		proxy.Refuse(w, apierrors.NewBadRequest("the body could not be read: "+err.Error()))
		return true
	}
	r, end := proxy.Until(r, stopping)
	defer end()
	forward := &httputil.ReverseProxy{
		Transport: p.requests, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(out *httputil.ProxyRequest) {
			out.Out.ContentLength, out.Out.Body, out.Out.GetBody = int64(len(body)), nil, nil
			if len(body) > 0 {
				out.Out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
				out.Out.Body, _ = out.Out.GetBody()
			}
			out.Out.URL.Scheme, out.Out.URL.Host, out.Out.Host = "https", address, ""
			transport.SetAuthProxyHeaders(out.Out, u.GetName(), u.GetUID(), u.GetGroups(), u.GetExtra())
		},
		ModifyResponse: func(answer *http.Response) error {
			if answer.StatusCode == http.StatusServiceUnavailable {
				p.forgetPublisher(address)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			p.forgetPublisher(address)
			err := apierrors.NewServiceUnavailable("the replica that publishes bundles does not answer: try again")
			err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
			proxy.Refuse(w, err)
		},
	}
	forward.ServeHTTP(w, r)
	return true
}

// findPublisher returns the address of the replica that publishes bundles.
func (p *Peers) findPublisher(ctx context.Context) (string, error) {
	p.mu.Lock()
	address := p.publisher
	p.mu.Unlock()
	if address != "" {
		return address, nil
	}
	address, err := p.find(ctx, publishes)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.publisher = address
	return address, nil
}

// forgetPublisher has the next request look for the replica that publishes bundles again.
func (p *Peers) forgetPublisher(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.publisher == address {
		p.publisher = ""
	}
}
