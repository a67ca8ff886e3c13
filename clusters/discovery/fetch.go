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
)

// snapshot is what discovery said: the catalog, nil for nothing yet, and how the API server recognizes each half of its
// answer, empty where it does not.
type snapshot struct {
	*catalog
	coreETag, groupsETag string // ETags
}

// fetcher asks one cluster what it serves.
type fetcher struct {
	server discovery.DiscoveryInterface
	cache  *Cache
}

// fetch asks for everything, in two requests where the API server can tell that in so many. What is still as it was before
// is neither sent nor read again. Groups that cannot be asked for now are no error, as long as there is any other.
func (d fetcher) fetch(before snapshot) (snapshot, error) {
	now, err := d.fetchAggregated(before)
	if err == nil && now.catalog != before.catalog && len(now.apis.Unavailable) > 0 {
		now, err = d.fetchAggregated(now) // it may have come up just now
	}
	if errors.Is(err, errNotAggregated) {
		now, err = d.fetchEachGroup()
	}
	if err != nil {
		return snapshot{}, fmt.Errorf("asking what the cluster serves: %w", err)
	}
	return now, nil
}

// fetchAggregated asks for the two halves, if they are not what they were before.
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

// fetchEachGroup asks in as many requests as it takes.
func (d fetcher) fetchEachGroup() (snapshot, error) {
	groups, lists, err := d.server.ServerGroupsAndResources()
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial || groups == nil || lists == nil {
		return snapshot{}, cmp.Or(err, errNothingServed)
	}
	return snapshot{catalog: d.cache.intern(response{groups, lists, failed})}, nil
}

var errNothingServed = errors.New("it names no API")

// errNotAggregated is for API servers that do not tell groups and resources in one answer, as those before Kubernetes 1.30.
var errNotAggregated = errors.New("its API server does not say all at once what it serves")

// half is one half of the answer.
type half struct {
	text      []byte
	etag      string
	unchanged bool // as it was before; there is no text then
}

// fetchHalf asks for a half, the ETag of which was before.
func (d fetcher) fetchHalf(path, before string) (half, error) {
	var p half
	var form string
	request := d.server.RESTClient().Get().AbsPath(path).SetHeader("Accept", discovery.AcceptV2)
	if before != "" {
		request.SetHeader("If-None-Match", before)
	}
	text, err := request.Do(withETag(context.Background(), &p.etag)).ContentType(&form).Raw() // bounded by RequestTimeout
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

// response is what discovery says.
type response struct {
	groupList     []*metav1.APIGroup
	resourceLists []*metav1.APIResourceList
	failed        map[schema.GroupVersion]error // served by somebody who did not answer
}

// join makes one answer of the halves. One in which nothing is served at all is left to whoever asks for it group by group.
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

// Transport notes the ETag of an answer where tagged has asked it to.
type Transport struct{ Next http.RoundTripper }

// WrappedRoundTripper lets idle connections be closed.
func (t Transport) WrappedRoundTripper() http.RoundTripper { return t.Next }

// RoundTrip is http.RoundTripper's.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.Next.RoundTrip(r)
	if tag, asked := r.Context().Value(etagKey{}).(*string); asked && err == nil {
		*tag = answer.Header.Get("Etag")
	}
	return answer, err
}

// withETag has the ETag of the last answer to what is sent with ctx put into tag.
func withETag(ctx context.Context, tag *string) context.Context {
	return context.WithValue(ctx, etagKey{}, tag)
}

type etagKey struct{}
