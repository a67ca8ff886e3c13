package fanout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/cmd/accord/members/merge"
)

// most is the number of servers that are asked at the same time.
const most = 64

// ReasonNoAnswer is the reason of the error that a request ends with if every server failed; Fleet.Failures has the errors.
const ReasonNoAnswer metav1.StatusReason = "NoClusterAnswers"

// transport implements http.RoundTripper.
type transport struct {
	fleet *Fleet
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return answer(req, refusal(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "only read requests go to several clusters")), nil
	}
	if req.URL.Query().Get("watch") == "true" {
		return t.watch(req)
	}
	results := make([]result, len(t.fleet.servers))
	t.each(func(i int, s Server) { results[i] = t.read(req, s) })
	var answers []merge.Answer
	for _, r := range results {
		answers = append(answers, r.pages...)
	}
	if refused := t.judge(results, len(answers) > 0); refused != nil {
		return answer(req, refused), nil
	}
	body, err := merge.Documents(answers, resource(req) == "pods")
	if err != nil {
		return nil, err
	}
	return respond(req, http.StatusOK, io.NopCloser(bytes.NewReader(body))), nil
}

// each calls f for all servers at the same time.
func (t *transport) each(f func(int, Server)) {
	var running sync.WaitGroup
	free := make(chan struct{}, most)
	for i, s := range t.fleet.servers {
		free <- struct{}{}
		running.Go(func() { defer func() { <-free }(); f(i, s) })
	}
	running.Wait()
}

// result is the answer of a server, in pages, or its error.
type result struct {
	server Server
	pages  []merge.Answer
	err    error
}

// read reads all pages of a list, or one object.
func (t *transport) read(req *http.Request, s Server) result {
	r := result{server: s}
	query := req.URL.Query()
	for {
		body, err := t.readPage(req, s, query.Encode())
		if err != nil {
			return result{server: s, err: err}
		}
		r.pages = append(r.pages, merge.Answer{Source: s.Source, Body: body})
		var page struct {
			metav1.ListMeta `json:"metadata"`
		}
		if json.Unmarshal(body, &page) != nil || page.Continue == "" {
			return r
		}
		query.Set("continue", page.Continue)
	}
}

func (t *transport) readPage(req *http.Request, s Server, query string) ([]byte, error) {
	ctx, end := context.WithTimeout(req.Context(), s.Limit)
	defer end()
	resp, err := t.next.RoundTrip(t.to(ctx, req, s, query))
	if err != nil {
		return nil, unanswered(ctx, s, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, unanswered(ctx, s, err)
	}
	return body, statusError(resp, body)
}

// unanswered returns the error of a server that does not answer, in time or at all.
func unanswered(ctx context.Context, s Server, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", s.Limit)
	}
	return err
}

// to returns the request to a server.
func (t *transport) to(ctx context.Context, req *http.Request, s Server, query string) *http.Request {
	out := req.Clone(ctx)
	out.URL.Path = t.fleet.base + s.path() + strings.TrimPrefix(req.URL.Path, t.fleet.base)
	out.URL.RawPath, out.URL.RawQuery = "", query
	return out
}

// judge records the errors of servers, and returns the error of the request if no server answered it. A server does not fail if it has
// neither the kind nor the object that is requested.
func (t *transport) judge(results []result, answered bool) error {
	var absent error
	var failures []Failure
	for _, r := range results {
		switch {
		case r.err == nil:
		case apierrors.IsNotFound(r.err):
			if absent == nil {
				absent = r.err
			}
		default:
			failures = append(failures, Failure{r.server.Name, r.err})
		}
	}
	t.fleet.fail(failures...)
	switch {
	case answered:
		return nil
	case absent != nil:
		return absent
	}
	return refusal(http.StatusServiceUnavailable, ReasonNoAnswer, "no cluster answers the request")
}

// statusError returns the error that a server answered with.
func statusError(resp *http.Response, body []byte) error {
	if resp.StatusCode < http.StatusBadRequest {
		return nil
	}
	s := &apierrors.StatusError{}
	if json.Unmarshal(body, &s.ErrStatus) != nil || s.ErrStatus.Message == "" {
		s.ErrStatus.Message = resp.Status
	}
	s.ErrStatus.Code = int32(resp.StatusCode)
	if resp.StatusCode == http.StatusNotFound {
		s.ErrStatus.Reason = metav1.StatusReasonNotFound
	}
	return s
}

func refusal(code int, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message}}
}

// answer returns the response with an error.
func answer(req *http.Request, err error) *http.Response {
	status := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	if known := apierrors.APIStatus(nil); errors.As(err, &known) {
		status = known.Status()
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, _ := json.Marshal(status) // a Status has only strings and numbers
	return respond(req, int(status.Code), io.NopCloser(bytes.NewReader(body)))
}

func respond(req *http.Request, code int, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: http.StatusText(code), StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: body, ContentLength: -1, Request: req,
	}
}

// resource returns the plural of the kind that a path is about: "/api/v1/pods", "/apis/GROUP/VERSION/namespaces/NAMESPACE/pods/NAME".
func resource(req *http.Request) string {
	_, path, found := strings.Cut(req.URL.Path, "/api/v1/")
	if !found {
		return ""
	}
	words := strings.Split(path, "/")
	if words[0] == "namespaces" && len(words) > 2 {
		words = words[2:]
	}
	return words[0]
}
