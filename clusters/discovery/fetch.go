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

// told is what discovery said: the catalog, nil for nothing yet, and how the API server recognizes each half of its
// answer, empty where it does not.
type told struct {
	*catalog
	core, groups string // ETags
}

// directory asks one cluster what it serves.
type directory struct {
	server   discovery.DiscoveryInterface
	catalogs *Catalogs
}

// look asks for everything, in two requests where the API server can tell that in so many. What is still as it was before
// is neither sent nor read again. Groups that cannot be asked for now are no error, as long as there is any other.
func (d directory) look(before told) (told, error) {
	now, err := d.changed(before)
	if err == nil && now.catalog != before.catalog && len(now.served.Missing) > 0 {
		now, err = d.changed(now) // it may have come up just now
	}
	if errors.Is(err, errNotAggregated) {
		now, err = d.piecemeal()
	}
	if err != nil {
		return told{}, fmt.Errorf("asking what the cluster serves: %w", err)
	}
	return now, nil
}

// changed asks for the two halves, if they are not what they were before.
func (d directory) changed(before told) (told, error) {
	core, err := d.page("/api", before.core)
	if err != nil {
		return told{}, err
	}
	groups, err := d.page("/apis", before.groups)
	switch {
	case err != nil:
		return told{}, err
	case core.same && groups.same:
		return before, nil
	case core.same:
		core, err = d.page("/api", "")
	case groups.same:
		groups, err = d.page("/apis", "")
	}
	if err != nil {
		return told{}, err
	}
	a, err := join(core, groups)
	if err != nil {
		return told{}, err
	}
	return told{d.catalogs.of(a), core.tag, groups.tag}, nil
}

// piecemeal asks in as many requests as it takes.
func (d directory) piecemeal() (told, error) {
	groups, lists, err := d.server.ServerGroupsAndResources()
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial || groups == nil || lists == nil {
		return told{}, cmp.Or(err, errNothingServed)
	}
	return told{catalog: d.catalogs.of(answer{groups, lists, failed})}, nil
}

var errNothingServed = errors.New("it names no API")

// errNotAggregated is for API servers that do not tell groups and resources in one answer, as those before Kubernetes 1.30.
var errNotAggregated = errors.New("its API server does not say all at once what it serves")

// page is one half of the answer.
type page struct {
	text []byte
	tag  string
	same bool // as it was before; there is no text then
}

// page asks for a half, the ETag of which was before.
func (d directory) page(path, before string) (page, error) {
	var p page
	var form string
	request := d.server.RESTClient().Get().AbsPath(path).SetHeader("Accept", discovery.AcceptV2)
	if before != "" {
		request.SetHeader("If-None-Match", before)
	}
	text, err := request.Do(tagged(context.Background(), &p.tag)).ContentType(&form).Raw() // bounded by RequestTimeout
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		switch status.Status().Code {
		case http.StatusNotModified:
			return page{tag: before, same: true}, nil
		case http.StatusNotFound, http.StatusNotAcceptable:
			return page{}, errNotAggregated
		}
	}
	if err != nil {
		return page{}, err
	}
	if aggregated, err := discovery.ContentTypeIsGVK(form, aggregatedKind); err != nil || !aggregated {
		return page{}, errNotAggregated
	}
	p.text, p.same = text, before != "" && p.tag == before
	return p, nil
}

var aggregatedKind = schema.GroupVersionKind{Group: apidiscovery.GroupName, Version: "v2", Kind: "APIGroupDiscoveryList"}

// answer is what discovery says.
type answer struct {
	listed []*metav1.APIGroup
	lists  []*metav1.APIResourceList
	failed map[schema.GroupVersion]error // served by somebody who did not answer
}

// join makes one answer of the halves. One in which nothing is served at all is left to whoever asks for it group by group.
func join(halves ...page) (answer, error) {
	a := answer{failed: map[schema.GroupVersion]error{}}
	for _, half := range halves {
		var all apidiscovery.APIGroupDiscoveryList
		if err := json.Unmarshal(half.text, &all); err != nil {
			return a, err
		}
		groups, lists, failed := discovery.SplitGroupsAndResources(all)
		for i := range groups.Groups {
			a.listed = append(a.listed, &groups.Groups[i])
		}
		for _, list := range lists {
			a.lists = append(a.lists, list)
		}
		for gv, err := range failed {
			a.failed[gv] = err
		}
	}
	if a.lists == nil {
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
	if tag, asked := r.Context().Value(tagMark{}).(*string); asked && err == nil {
		*tag = answer.Header.Get("Etag")
	}
	return answer, err
}

// tagged has the ETag of the last answer to what is sent with ctx put into tag.
func tagged(ctx context.Context, tag *string) context.Context {
	return context.WithValue(ctx, tagMark{}, tag)
}

type tagMark struct{}
