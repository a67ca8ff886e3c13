// Package guard refuses writes to the objects of a cluster that accord delivers from Git: accord would undo them.
package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// Records returns the records of the objects that accord delivers.
type Records func(context.Context) ([]v1alpha1.FederatedObject, error)

// Guard refuses writes to the objects of one cluster. It is safe for concurrent use.
type Guard struct {
	// Cluster by name.
	Cluster string
	// Base is the path on the hub that leads to the cluster.
	Base string
	// Reads refuses to read a delivered object by name, too: an editor would open, and its result be refused.
	Reads   bool
	Records Records

	mu      sync.Mutex
	refused []string
}

// Refused returns the sentences of the refusals.
func (g *Guard) Refused() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.refused)
}

// Wrap returns a transport that refuses writes to delivered objects.
func (g *Guard) Wrap(next http.RoundTripper) http.RoundTripper { return &transport{g, next} }

type transport struct {
	*Guard
	next http.RoundTripper
}

// written are the subresources that are part of the object.
var written = []string{"", "scale", "status"}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.guards(req.Method, req.URL.Query()) {
		return t.next.RoundTrip(req)
	}
	path, found := strings.CutPrefix(req.URL.Path, t.Base)
	factory := request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	info, err := factory.NewRequestInfo(&http.Request{Method: req.Method, URL: &url.URL{Path: path}})
	if err != nil || !found || !info.IsResourceRequest || !slices.Contains(written, info.Subresource) {
		return t.next.RoundTrip(req)
	}
	if info.Name == "" {
		if req.Method == http.MethodDelete {
			return t.refuse(req, "accord deletes no collection of objects of a member at once: name the objects, or set --force-drift"), nil
		}
		return t.next.RoundTrip(req)
	}
	o, err := t.read(req, path, info)
	if err != nil {
		return nil, err
	}
	if o == nil || !v1alpha1.IsDelivered(o) {
		return t.next.RoundTrip(req)
	}
	return t.refuse(req, t.sentence(req.Context(), o)), nil
}

// guards reports whether requests of this method may change objects, or are the first step of a change.
func (t *transport) guards(method string, query url.Values) bool {
	switch method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
		return !query.Has("dryRun")
	case http.MethodGet:
		return t.Reads && !query.Has("watch")
	}
	return false
}

// read returns the object of a request, nil if it is absent or cannot be read.
func (t *transport) read(req *http.Request, path string, info *request.RequestInfo) (*unstructured.Unstructured, error) {
	get := req.Clone(req.Context())
	get.Method, get.Body, get.ContentLength, get.GetBody = http.MethodGet, nil, 0, nil
	get.URL.Path, get.URL.RawPath, get.URL.RawQuery = t.Base+strings.TrimSuffix(path, "/"+info.Subresource), "", ""
	if info.Subresource == "" {
		get.URL.Path = t.Base + path
	}
	get.Header.Del("Content-Type")
	get.Header.Set("Accept", "application/json")
	resp, err := t.next.RoundTrip(get)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, err // the cluster answers the request itself, as well
	}
	o := &unstructured.Unstructured{}
	return o, o.UnmarshalJSON(body)
}

// sentence returns the refusal, with the file in Git if the caller may read the record of the object.
func (t *transport) sentence(ctx context.Context, o *unstructured.Unstructured) string {
	title := o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
	if o.GetNamespace() == "" {
		title = o.GetKind() + " " + o.GetName()
	}
	change := "change it in Git"
	if records, err := t.Records(ctx); err == nil {
		if r := recordOf(records, o, t.Cluster); r != nil {
			change = fmt.Sprintf("change %s, which Federation %s/%s delivers", r.Spec.Template.Origin, r.Namespace, r.Spec.Federation)
		}
	}
	return fmt.Sprintf("%s on %s is managed by accord: %s; --force-drift writes to the cluster until accord repairs the object", title, t.Cluster, change)
}

// recordOf returns the record of an object on a cluster, nil if there is none with a file.
func recordOf(records []v1alpha1.FederatedObject, o *unstructured.Unstructured, cluster string) *v1alpha1.FederatedObject {
	gvk := o.GroupVersionKind()
	id := manifest.ID{Group: gvk.Group, Kind: gvk.Kind, Namespace: o.GetNamespace(), Name: o.GetName()}
	for i := range records {
		r := &records[i]
		if r.Spec.Template.ID() != id || r.Spec.Template.Origin == "" {
			continue
		}
		if slices.ContainsFunc(r.Spec.Results, func(result v1alpha1.Result) bool { return slices.Contains(result.Clusters, cluster) }) {
			return r
		}
	}
	return nil
}

// refuse answers a request with a refusal.
func (t *transport) refuse(req *http.Request, sentence string) *http.Response {
	t.mu.Lock()
	t.refused = append(t.refused, sentence)
	t.mu.Unlock()
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: http.StatusForbidden,
		Reason: metav1.StatusReasonForbidden, Message: sentence,
	}
	body, _ := json.Marshal(status) // a Status has only strings and numbers
	return &http.Response{
		Status: http.StatusText(http.StatusForbidden), StatusCode: http.StatusForbidden, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}
}
