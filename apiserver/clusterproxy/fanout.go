package clusterproxy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/proxy"
)

const (
	// concurrentClusters bounds the clusters that one request is sent to at the same time.
	concurrentClusters = 16
	// mostBytes bounds the answer of one cluster.
	mostBytes = 64 << 20
	// beginTime bounds the time until a cluster answers, and bodyTime the time of the answer.
	beginTime = 10 * time.Second
	bodyTime  = time.Minute
)

// paths reads paths as API servers do.
var paths = &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}

// Read returns the meaning of a request whose URL is a path on an API server; an error is of the class BadRequest.
func Read(r *http.Request) (*request.RequestInfo, error) {
	info, err := paths.NewRequestInfo(r)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return info, nil
}

// FanOut answers a request for all clusters: a list is that of all, and a named object is found on the one cluster that has it.
func (m *Members) FanOut(w http.ResponseWriter, r *http.Request, c proxy.Caller, info *request.RequestInfo) {
	of := schema.GroupResource{Group: info.APIGroup, Resource: info.Resource}
	switch {
	case info.Name == "" && info.Verb == "list":
		m.listAll(w, r, c)
	case info.Name == "" || info.Verb == "watch":
		err := apierrors.NewMethodNotSupported(of, info.Verb)
		err.ErrStatus.Message += ": only lists and requests for named objects are for all clusters; name one cluster, or use proxying of search.karmada.io/v1alpha1"
		proxy.Refuse(w, err)
	default:
		m.findOne(w, r, c, of, info)
	}
}

// answered is the answer of one cluster.
type answered struct {
	code int
	body []byte
	err  error
}

// askAll sends a GET to all clusters, in the name of the caller.
func (m *Members) askAll(ctx context.Context, c proxy.Caller, path, accept string) (map[string]answered, error) {
	var clusters v1alpha1.ClusterList
	if err := m.Hub.List(ctx, &clusters); err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("reading the clusters: %w", err))
	}
	answers := make([]answered, len(clusters.Items))
	var g errgroup.Group
	g.SetLimit(concurrentClusters)
	for i, cluster := range clusters.Items {
		g.Go(func() error {
			answers[i] = m.ask(ctx, cluster.Name, c, path, accept)
			return nil
		})
	}
	_ = g.Wait() // each answer has its own error
	all := make(map[string]answered, len(answers))
	for i, cluster := range clusters.Items {
		all[cluster.Name] = answers[i]
	}
	return all, nil
}

func (m *Members) ask(ctx context.Context, cluster string, c proxy.Caller, path, accept string) answered {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(beginTime, func() { cancel(fmt.Errorf("it does not answer within %s", beginTime)) })
	defer late.Stop()
	forward, err := m.Of(ctx, cluster)
	if err != nil {
		return answered{err: err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://cluster"+path, nil)
	if err != nil {
		return answered{err: err}
	}
	r.Header.Set("Accept", accept)
	answer, err := proxy.Transport{Forward: forward, Caller: c}.RoundTrip(r)
	if err != nil {
		return answered{err: cmp.Or(context.Cause(ctx), err)}
	}
	defer answer.Body.Close()
	late.Reset(bodyTime)
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes+1))
	if err == nil && len(body) > mostBytes {
		err = fmt.Errorf("its answer has more than %d bytes", mostBytes)
	}
	return answered{answer.StatusCode, body, err}
}

// failure returns the error that an answer stands for.
func (a answered) failure() error {
	var status metav1.Status
	switch {
	case a.err != nil || a.code == http.StatusOK:
		return a.err
	case json.Unmarshal(a.body, &status) == nil && status.Kind == "Status":
		return &apierrors.StatusError{ErrStatus: status}
	}
	return fmt.Errorf("its answer has the code %d", a.code)
}

// listAll answers with the lists of all clusters, one after the other. Clusters without an answer are named in warnings; if none answers,
// the error is that of the first.
func (m *Members) listAll(w http.ResponseWriter, r *http.Request, c proxy.Caller) {
	accept := "application/json"
	if strings.Contains(r.Header.Get("Accept"), "as=Table") {
		accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
	}
	query := r.URL.Query()
	for _, name := range []string{"limit", "continue", "resourceVersion", "resourceVersionMatch"} { // of one cluster
		query.Del(name)
	}
	all, err := m.askAll(r.Context(), c, r.URL.EscapedPath()+"?"+query.Encode(), accept)
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	var merged map[string]json.RawMessage
	var items []json.RawMessage
	field := "items"
	var failed error
	for _, cluster := range slices.Sorted(maps.Keys(all)) {
		err := all[cluster].failure()
		var list map[string]json.RawMessage
		if err == nil {
			err = json.Unmarshal(all[cluster].body, &list)
		}
		if err != nil {
			failed = cmp.Or(failed, err)
			proxy.Warn(w, fmt.Sprintf("cluster %s is left out: %.500s", cluster, err))
			continue
		}
		if list["rows"] != nil {
			field = "rows"
		}
		var own []json.RawMessage
		if list[field] != nil {
			_ = json.Unmarshal(list[field], &own) // absent or null: none
		}
		items = append(items, own...)
		if merged == nil {
			merged = list
		}
	}
	if merged == nil {
		if failed == nil {
			failed = apierrors.NewNotFound(GroupVersion.WithResource(resource).GroupResource(), allClusters)
		}
		proxy.Refuse(w, failed)
		return
	}
	if items == nil {
		items = []json.RawMessage{}
	}
	merged[field], _ = json.Marshal(items) // texts of JSON
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(merged) // the caller may be gone
}

// findOne sends a request to the one cluster that has the object, as the caller sees it.
func (m *Members) findOne(w http.ResponseWriter, r *http.Request, c proxy.Caller, of schema.GroupResource, info *request.RequestInfo) {
	path := strings.TrimSuffix(r.URL.EscapedPath(), "/")
	if info.Subresource != "" {
		path = path[:strings.LastIndex(path, "/"+info.Name+"/")+1+len(info.Name)]
	}
	all, err := m.askAll(r.Context(), c, path, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json")
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	var found, unknown []string
	for _, cluster := range slices.Sorted(maps.Keys(all)) {
		switch err := all[cluster].failure(); {
		case err == nil:
			found = append(found, cluster)
		case !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err):
			unknown = append(unknown, cluster)
		}
	}
	switch {
	case len(found) > 1:
		err = apierrors.NewConflict(of, info.Name, fmt.Errorf("clusters %q have it: name one of them instead of \"*\"", found))
	case len(found) == 0 && len(unknown) > 0:
		away := apierrors.NewServiceUnavailable(fmt.Sprintf("no cluster that answers has %s %q, and clusters %q do not answer", of, info.Name, unknown))
		away.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
		err = away
	case len(found) == 0:
		err = apierrors.NewNotFound(of, info.Name)
	}
	var forward proxy.Forward
	if err == nil {
		forward, err = m.Of(r.Context(), found[0])
	}
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	forward(w, r, c)
}
