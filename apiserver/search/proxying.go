package search

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/accord-dev/accord/apiserver/clusterproxy"
	"github.com/accord-dev/accord/clusters/proxy"
	"github.com/accord-dev/accord/clusters/search"
)

// asked is a request for objects of all clusters.
type asked struct {
	*request.RequestInfo
	kind   schema.GroupVersionKind
	caller proxy.Caller
}

func (a *asked) resource() schema.GroupResource {
	return schema.GroupResource{Group: a.APIGroup, Resource: a.Resource}
}

// attributes are those that a cluster decides about.
func (a *asked) attributes() authorizationv1.ResourceAttributes {
	return authorizationv1.ResourceAttributes{
		Verb: a.Verb, Group: a.APIGroup, Version: a.APIVersion, Resource: a.Resource, Subresource: a.Subresource, Namespace: a.Namespace, Name: a.Name,
	}
}

// serveProxying routes a request (Karmada 9.3): reads of a kind that a ResourceRegistry names are answered out of memory, other requests for
// such a kind go to the cluster that has the object, and everything else to the hub.
func (s *Server) serveProxying(w http.ResponseWriter, r *http.Request, name string, c proxy.Caller) {
	at, err := proxy.Behind(r, proxyPrefix+name+"/proxy")
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	r, end := proxy.Until(r, s.Stopping)
	defer end()
	r.URL = at
	a, cached, err := s.read(r, c)
	switch {
	case err != nil:
		proxy.Refuse(w, err)
	case !a.IsResourceRequest:
		s.ToHub(w, r, c)
	case !cached && a.APIGroup == metrics.Group:
		s.Members.FanOut(w, r, c, a.RequestInfo)
	case !cached:
		s.AsCaller.ForwardAt(w, r, c)
	case a.Subresource == "" && (a.Verb == "get" || a.Verb == "list" || a.Verb == "watch"):
		s.answer(w, r, a)
	default:
		s.locate(w, r, a)
	}
}

// read returns the request, and whether the caches have its kind.
func (s *Server) read(r *http.Request, c proxy.Caller) (*asked, bool, error) {
	info, err := clusterproxy.Read(r)
	if err != nil {
		return nil, false, err
	}
	a := &asked{RequestInfo: info, caller: c}
	if !info.IsResourceRequest {
		return a, false, nil
	}
	kind, cached, ready := s.Caches.Kind(schema.GroupVersionResource{Group: info.APIGroup, Version: info.APIVersion, Resource: info.Resource})
	if !ready {
		err := apierrors.NewServiceUnavailable("accord has just started, and does not know the ResourceRegistries yet: try again")
		err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
		return nil, false, err
	}
	a.kind = kind
	return a, cached, nil
}

// ToHub sends a request for no resource, such as discovery, to the hub with the rights of accord, if the caller may read the path there.
func (s *Server) ToHub(w http.ResponseWriter, r *http.Request, c proxy.Caller) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.AsCaller.ForwardAt(w, r, c)
		return
	}
	review, err := s.HubReviews.Create(r.Context(), &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: c.User, Groups: c.Groups, NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: r.URL.Path, Verb: "get"},
	}}, metav1.CreateOptions{})
	if err != nil {
		proxy.Refuse(w, apierrors.NewInternalError(fmt.Errorf("asking the hub about a right: %w", err)))
		return
	}
	if !review.Status.Allowed {
		proxy.Refuse(w, apierrors.NewForbidden(schema.GroupResource{}, "", fmt.Errorf("user %q cannot get path %q on the hub", c.User, r.URL.Path)))
		return
	}
	if !s.discover(w, r) {
		s.AsCaller.ForwardOwn(w, r)
	}
}

// view has the caches that a caller may read.
type view struct {
	caches []*search.Cache
	// omitted has the reason for each cluster that is left out, stale the age of the objects of a cluster that does not answer.
	omitted, stale map[string]error
}

// concurrentChecks bounds the clusters that are asked at the same time about one request.
const concurrentChecks = 32

// viewOf returns the caches that the caller may read. Without any, it returns the reason of the first cluster that refuses.
func (s *Server) viewOf(ctx context.Context, a *asked) (view, error) {
	all, _ := s.Caches.Of(a.kind)
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	slots := make(chan struct{}, concurrentChecks)
	for i, c := range all {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			errs[i] = s.may(ctx, c.Cluster, a)
		})
	}
	wait.Wait()
	v := view{omitted: map[string]error{}, stale: map[string]error{}}
	var refused error
	for i, c := range all {
		if errs[i] == nil {
			v.caches = append(v.caches, c)
			continue
		}
		v.omitted[c.Cluster] = errs[i]
		if refused == nil && apierrors.IsForbidden(errs[i]) {
			refused = errs[i]
		}
	}
	if len(v.caches) == 0 && refused != nil && allForbidden(v.omitted) {
		return v, apierrors.NewForbidden(a.resource(), a.Name, errors.New(refused.Error()))
	}
	return v, nil
}

// may returns an error unless the cluster allows the request. The right to all names, which is the usual one, answers for many requests.
func (s *Server) may(ctx context.Context, cluster string, a *asked) error {
	attributes := a.attributes()
	if a.Name == "" {
		return s.check(ctx, cluster, a.caller, attributes)
	}
	attributes.Name = ""
	if err := s.check(ctx, cluster, a.caller, attributes); !apierrors.IsForbidden(err) {
		return err
	}
	return s.check(ctx, cluster, a.caller, a.attributes())
}

func allForbidden(errs map[string]error) bool {
	for _, err := range errs {
		if !apierrors.IsForbidden(err) {
			return false
		}
	}
	return true
}

// settle waits for caches that have just started, and moves those of clusters that never answered to the omitted ones.
func (v *view) settle(ctx context.Context, at search.Versions) {
	missing, stale := search.Settle(ctx, v.caches, at)
	v.stale = stale
	kept := v.caches[:0:0]
	for _, c := range v.caches {
		if err := missing[c.Cluster]; err != nil {
			v.omitted[c.Cluster] = err
		} else {
			kept = append(kept, c)
		}
	}
	v.caches = kept
}

// locate sends a request to the one cluster that has its object.
func (s *Server) locate(w http.ResponseWriter, r *http.Request, a *asked) {
	if a.Name == "" {
		err := apierrors.NewMethodNotSupported(a.resource(), a.Verb)
		err.ErrStatus.Message += ": the path names no object, which tells the cluster; send the request to clusters/NAME/proxy of cluster.karmada.io/v1alpha1"
		proxy.Refuse(w, err)
		return
	}
	o, err := s.only(r.Context(), a)
	if err == nil {
		err = s.restore(r, a, o)
	}
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	forward, err := s.Members.Of(r.Context(), o.Cluster)
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	forward(w, r, a.caller)
}

// only returns the object of a name that exactly one cluster has among those that allow the request to the caller. A cluster that refuses
// the caller does not tell whether it has the object.
func (s *Server) only(ctx context.Context, a *asked) (*search.Object, error) {
	v, err := s.viewOf(ctx, a)
	if err != nil {
		return nil, err
	}
	v.settle(ctx, nil)
	found := search.Find(v.caches, a.Namespace, a.Name)
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		var names []string
		for _, o := range found {
			names = append(names, o.Cluster)
		}
		return nil, apierrors.NewConflict(a.resource(), a.Name, fmt.Errorf("clusters %q have it: send the request to clusters/NAME/proxy of cluster.karmada.io/v1alpha1", names))
	}
	for _, cluster := range sets.List(sets.KeySet(v.omitted)) {
		if reason := v.omitted[cluster]; !apierrors.IsForbidden(reason) {
			away := apierrors.NewServiceUnavailable(fmt.Sprintf("no cluster that answers has it, and cluster %s does not answer: %s", cluster, reason))
			away.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
			return nil, away
		}
	}
	return nil, apierrors.NewNotFound(a.resource(), a.Name)
}

// serveCache answers search/cache/{path} and refuses other names.
func (s *Server) serveCache(w http.ResponseWriter, r *http.Request, name string, c proxy.Caller) {
	if name != "cache" {
		proxy.Refuse(w, apierrors.NewNotFound(schema.GroupResource{Group: GroupVersion.Group, Resource: searching}, name))
		return
	}
	at, err := proxy.Behind(r, cachePrefix)
	if err == nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
		err = apierrors.NewMethodNotSupported(schema.GroupResource{Group: GroupVersion.Group, Resource: searching}, r.Method)
	}
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	r, end := proxy.Until(r, s.Stopping)
	defer end()
	r.URL = at
	a, cached, err := s.read(r, c)
	switch {
	case err != nil:
	case !a.IsResourceRequest || a.Subresource != "":
		err = apierrors.NewBadRequest("the path behind search/cache is the one of a resource, \"/api/v1/pods\"")
	case a.Verb == "watch":
		err = apierrors.NewMethodNotSupported(a.resource(), "watch")
	}
	if err != nil {
		proxy.Refuse(w, err)
		return
	}
	if !cached {
		proxy.Warn(w, fmt.Sprintf("no ResourceRegistry names %s of %s", a.Resource, schema.GroupVersion{Group: a.APIGroup, Version: a.APIVersion}))
	}
	s.answerFlat(w, r, a)
}
