package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/accord-dev/accord/internal/egress"
)

// snapshot is the last discovery result of a cluster: the catalog, nil before the first, and the ETag of each half,
// empty if the API server sends none.
type snapshot struct {
	*catalog
	coreETag, groupsETag string
}

// fetcher requests the APIs of one cluster.
type fetcher struct {
	server discovery.DiscoveryInterface
	cache  *Cache
}

// fetch requests all APIs: in two requests if the API server supports aggregated discovery. ETags avoid the transfer
// of unchanged halves. A group whose API server does not answer is not an error as long as any other does.
func (d fetcher) fetch(before snapshot) (snapshot, error) {
	now, err := d.fetchAggregated(before)
	if err == nil && now.catalog != before.catalog && len(now.apis.Unavailable) > 0 {
		now, err = d.fetchAggregated(now) // a missing group may have started just now
	}
	if errors.Is(err, errNotAggregated) {
		now, err = d.fetchEachGroup()
	}
	if err != nil {
		return snapshot{}, fmt.Errorf("discovering APIs: %w", err)
	}
	return now, nil
}

// fetchAggregated requests both halves with their ETags.
func (d fetcher) fetchAggregated(before snapshot) (snapshot, error) {
	core, err := d.fetchHalf("/api", before.coreETag)
	if err != nil {
		return snapshot{}, err
	}
	groups, err := d.fetchHalf("/apis", before.groupsETag)
	switch {
	case err != nil:
		return snapshot{}, err
	case core.unchanged && groups.unchanged:
		return before, nil
	case core.unchanged:
		core, err = d.fetchHalf("/api", "")
	case groups.unchanged:
		groups, err = d.fetchHalf("/apis", "")
	}
	if err != nil {
		return snapshot{}, err
	}
	a, err := join(core, groups)
	if err != nil {
		return snapshot{}, err
	}
	return snapshot{d.cache.intern(a), core.etag, groups.etag}, nil
}

// fetchEachGroup requests every group and version on its own.
func (d fetcher) fetchEachGroup() (snapshot, error) {
	groups, lists, err := d.server.ServerGroupsAndResources()
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial || groups == nil || lists == nil {
		return snapshot{}, cmp.Or(err, errNothingServed)
	}
	return snapshot{catalog: d.cache.intern(response{groups, lists, failed})}, nil
}

var errNothingServed = errors.New("the API server lists no APIs")

// errNotAggregated marks an API server without aggregated discovery: those before Kubernetes 1.30.
var errNotAggregated = errors.New("the API server does not support aggregated discovery")

// half is one half of aggregated discovery: /api or /apis.
type half struct {
	text      []byte
	etag      string
	unchanged bool // since the last request; text is empty then
}

// fetchHalf requests a half; etag is the ETag of the last response.
func (d fetcher) fetchHalf(path, before string) (half, error) {
	var p half
	var form string
	request := d.server.RESTClient().Get().AbsPath(path).SetHeader("Accept", discovery.AcceptV2)
	if before != "" {
		request.SetHeader("If-None-Match", before)
	}
	text, err := request.Do(withETag(context.Background(), &p.etag)).ContentType(&form).Raw() // the HTTP client bounds it by RequestTimeout
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		switch status.Status().Code {
		case http.StatusNotModified:
			return half{etag: before, unchanged: true}, nil
		case http.StatusNotFound, http.StatusNotAcceptable:
			return half{}, errNotAggregated
		}
	}
	if err != nil {
		return half{}, err
	}
	if aggregated, err := discovery.ContentTypeIsGVK(form, aggregatedKind); err != nil || !aggregated {
		return half{}, errNotAggregated
	}
	p.text, p.unchanged = text, before != "" && p.etag == before
	return p, nil
}

var aggregatedKind = schema.GroupVersionKind{Group: apidiscovery.GroupName, Version: "v2", Kind: "APIGroupDiscoveryList"}

// response is the parsed answer of discovery.
type response struct {
	groupList     []*metav1.APIGroup
	resourceLists []*metav1.APIResourceList
	failed        map[schema.GroupVersion]error // the aggregated API server did not answer
}

// join merges the halves. It returns errNotAggregated if neither half serves anything: the caller then requests each
// group.
func join(halves ...half) (response, error) {
	a := response{failed: map[schema.GroupVersion]error{}}
	for _, half := range halves {
		var all apidiscovery.APIGroupDiscoveryList
		if err := json.Unmarshal(half.text, &all); err != nil {
			return a, err
		}
		groups, lists, failed := discovery.SplitGroupsAndResources(all)
		for i := range groups.Groups {
			a.groupList = append(a.groupList, &groups.Groups[i])
		}
		for _, list := range lists {
			a.resourceLists = append(a.resourceLists, list)
		}
		for gv, err := range failed {
			a.failed[gv] = err
		}
	}
	if a.resourceLists == nil {
		return a, errNotAggregated
	}
	return a, nil
}

// Transport records the ETag of the responses to requests with withETag, and bounds responses without another limit as discovery.
type Transport struct{ Next http.RoundTripper }

// WrappedRoundTripper implements utilnet.RoundTripperWrapper, so that idle connections can be closed.
func (t Transport) WrappedRoundTripper() http.RoundTripper { return t.Next }

// RoundTrip implements http.RoundTripper.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !egress.HasLimit(r.Context()) {
		r = r.WithContext(egress.WithLimit(r.Context(), egress.Discovery))
	}
	answer, err := t.Next.RoundTrip(r)
	if tag, asked := r.Context().Value(etagKey{}).(*string); asked && err == nil {
		*tag = answer.Header.Get("Etag")
	}
	return answer, err
}

// withETag makes Transport write the ETag of the last response to etag.
func withETag(ctx context.Context, tag *string) context.Context {
	return context.WithValue(ctx, etagKey{}, tag)
}

type etagKey struct{}
