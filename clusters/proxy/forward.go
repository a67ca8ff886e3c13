package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// anAgent is the address of the agent of a cluster, which is the other end of a tunnel whatever the address is.
var anAgent = &url.URL{Scheme: "http", Host: "agent"}

// Through sends a request, whose URL is a path on the cluster, to the agent of the cluster. FromHub has its other end.
func Through(w http.ResponseWriter, r *http.Request, cluster string, tunnel http.RoundTripper, c Caller) {
	if err := CheckPath(r.URL); err != nil {
		Refuse(w, err)
		return
	}
	forward(w, r, cluster, anAgent, tunnel, c)
}

// FromHub returns the handler of the requests that Through sends.
func (m *Member) FromHub() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { m.Forward(w, r, named(r.Header)) })
}

// forward sends a request to a server, and copies the answer as it arrives. Of the headers of the caller, those that prove or claim an
// identity are dropped.
func forward(w http.ResponseWriter, r *http.Request, cluster string, to *url.URL, rt http.RoundTripper, c Caller) {
	p := &httputil.ReverseProxy{
		Transport: rt, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.Host = ""
			p.Out.URL.Scheme, p.Out.URL.Host = to.Scheme, to.Host
			p.Out.URL.Path, p.Out.URL.RawPath = below(to, r.URL)
			p.Out.URL.RawQuery = r.URL.RawQuery
			strip(p.Out.Header)
			c.name(p.Out.Header)
		},
		ModifyResponse: func(resp *http.Response) error { return checkAnswer(resp, cluster) },
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, err error) { Refuse(w, unanswered(cluster, err)) },
	}
	p.ServeHTTP(w, r)
}

// below returns the path of a request below the address of a server, plain and escaped.
func below(to, u *url.URL) (path, escaped string) {
	return strings.TrimSuffix(to.Path, "/") + u.Path, strings.TrimSuffix(to.EscapedPath(), "/") + u.EscapedPath()
}

// checkAnswer returns an error for answers that must not reach the caller: a redirect would lead the caller away from the cluster, and 401
// is about the credentials of accord.
func checkAnswer(resp *http.Response, cluster string) error {
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return fmt.Errorf("cluster %s refuses the credentials of accord", cluster)
	case resp.StatusCode/100 == 3 && resp.Header.Get("Location") != "":
		return fmt.Errorf("the API server of cluster %s redirects, which accord does not follow", cluster)
	}
	resp.Header.Del("Set-Cookie")
	return nil
}

// Until returns a request that ends with r, or when stopping is closed.
func Until(r *http.Request, stopping <-chan struct{}) (*http.Request, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	go func() {
		select {
		case <-stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	return r.WithContext(ctx), cancel
}

// unanswered returns the error of a cluster that does not answer as an API server does. An answer of accord about the way stays as it is.
func unanswered(cluster string, cause error) error {
	if apierrors.IsServiceUnavailable(cause) {
		return cause
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusBadGateway, Reason: metav1.StatusReasonServiceUnavailable,
		Message: fmt.Sprintf("cluster %q does not answer: %s", cluster, cause),
	}}
}

// Warn adds a warning to an answer, which kubectl prints in one line.
func Warn(w http.ResponseWriter, text string) {
	if header, err := utilnet.NewWarningHeader(299, "-", strings.Join(strings.Fields(text), " ")); err == nil { // otherwise it is no text
		w.Header().Add("Warning", header)
	}
}

// Refuse answers a request with an error, as API servers do.
func Refuse(w http.ResponseWriter, err error) {
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonInternalError, Message: err.Error()}
	if known := apierrors.APIStatus(nil); errors.As(err, &known) {
		status = known.Status()
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	text, _ := json.Marshal(status) // a Status has only strings and numbers
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	w.WriteHeader(int(status.Code))
	_, _ = w.Write(text) // the caller may be gone
}
