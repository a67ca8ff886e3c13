package registry

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/apiserver/answer"
	"github.com/accord-dev/accord/apiserver/bundles"
)

const (
	// waitParameter is the query parameter of a request that waits for another index.
	waitParameter = "wait"
	// newParameter and newObjects request the new objects with the index: ?objects=new. maxNew is the greatest number of them.
	newParameter = "objects"
	newObjects   = "new"
	maxNew       = 50
)

// Waits reports whether a request waits for another index, so that limits on requests in flight do not apply.
func Waits(group, resource, subresource string, r *http.Request) bool {
	return group == delivery.GroupVersion.Group && resource == delivery.Bundles && subresource == delivery.Index && r.URL.Query().Has(waitParameter)
}

// indexStorage serves the index of a bundle.
type indexStorage struct {
	subresource
	store    *bundles.Store
	stopping <-chan struct{}
}

var _ rest.Connecter = (*indexStorage)(nil)

// ConnectMethods implements rest.Connecter.
func (*indexStorage) ConnectMethods() []string { return []string{http.MethodGet} }

// Connect implements rest.Connecter.
func (s *indexStorage) Connect(_ context.Context, cluster string, _ runtime.Object, out rest.Responder) (http.Handler, error) {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.serve(w, r, cluster); err != nil {
			out.Error(err)
		}
	}), nil
}

// serve writes the index, or 304 if the client has it (If-None-Match). A request with ?wait=DURATION gets 304 only when the time is over.
func (s *indexStorage) serve(w http.ResponseWriter, r *http.Request, cluster string) error {
	wait, err := waitOf(r)
	if err != nil {
		return err
	}
	hear, err := s.listen(r, cluster)
	if err != nil {
		return err
	}
	hear()
	var changed <-chan struct{}
	var over <-chan time.Time
	if wait > 0 {
		sub, ok := s.store.Subscribe(cluster, delivery.MaxWaiting)
		if !ok {
			return tooManyWaiting(cluster, delivery.MaxWaiting)
		}
		defer sub.Close()
		timer := time.NewTimer(wait)
		defer timer.Stop()
		changed, over = sub.Changed(), timer.C
	}
	w.Header().Set(delivery.ReportWithin, delivery.ReportSpread(s.store.Clusters()).String())
	for {
		index, there := s.store.Index(cluster)
		if !there {
			return unpublished(cluster)
		}
		if !has(r, index.Digest) {
			s.write(w, r, cluster, index)
			hear() // from now on the agent executes the bundle
			return nil
		}
		if wait == 0 {
			s.notModified(w, cluster, index.Digest)
			return nil
		}
		select {
		case <-changed:
		case <-over:
			s.notModified(w, cluster, index.Digest)
			return nil
		case <-r.Context().Done():
			return nil // nobody reads an answer
		case <-s.stopping:
			return apierrors.NewServiceUnavailable("this replica stops: try again")
		}
	}
}

// listen returns a function that records a sign of life of the agent of a cluster, if the agent sent the request. Other users may read the
// index, too.
func (s *indexStorage) listen(r *http.Request, cluster string) (hear func(), err error) {
	var lasts time.Duration
	if text := r.URL.Query().Get(delivery.LeaseParameter); text != "" {
		if lasts, err = time.ParseDuration(text); err != nil || lasts <= 0 {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("lease=%.40q: the time for which the agent counts as alive is a duration, such as 40s", text))
		}
	}
	user, known := request.UserFrom(r.Context())
	if !known || !delivery.IsAgent(user.GetName(), cluster) {
		return func() {}, nil
	}
	return func() { s.store.Hear(cluster, user.GetName(), lasts) }, nil
}

// waitOf returns the time that a request waits at most.
func waitOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get(waitParameter)
	if text == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait <= 0 || wait > delivery.MaxWait {
		return 0, apierrors.NewBadRequest(fmt.Sprintf("wait=%.40q: the time to wait is a duration of at most %s, such as 30s", text, delivery.MaxWait))
	}
	return wait, nil
}

// has reports whether the client has the index of this digest.
func has(r *http.Request, digest string) bool {
	for _, header := range r.Header.Values("If-None-Match") {
		for tag := range strings.SplitSeq(header, ",") {
			if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == etag(digest) || tag == "*" {
				return true
			}
		}
	}
	return false
}

func etag(digest string) string { return `"` + digest + `"` }

func (s *indexStorage) notModified(w http.ResponseWriter, cluster, digest string) {
	s.head(w, cluster, digest)
	w.WriteHeader(http.StatusNotModified)
}

// head sets the headers of every answer.
func (s *indexStorage) head(w http.ResponseWriter, cluster, digest string) {
	w.Header().Set("ETag", etag(digest))
	if version := s.store.ClusterVersion(cluster); version != "" {
		w.Header().Set(delivery.ClusterVersion, version)
	}
}

// write writes an index. With ?objects=new the objects follow that the index of If-None-Match did not have, if that is the one before: an
// agent that waited needs no second request.
func (s *indexStorage) write(w http.ResponseWriter, r *http.Request, cluster string, index bundles.Index) {
	s.head(w, cluster, index.Digest)
	compressed := answer.AcceptsGzip(r)
	if r.URL.Query().Get(newParameter) != newObjects {
		begin(w, "application/json", compressed)
		_ = writeText(w, index, compressed) // an error means that the client is gone
		return
	}
	added := s.store.Added(cluster, strings.Trim(r.Header.Get("If-None-Match"), `"`), index.Digest)
	if len(added) > maxNew {
		added = nil
	}
	begin(w, delivery.MediaType, compressed)
	if writeText(w, index, compressed) == nil {
		writeObjects(w, added, compressed)
	}
}
