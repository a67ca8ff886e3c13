package memberserver

import (
	"crypto/subtle"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// ServeHTTP answers requests that carry the token.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		refuse(w, apierrors.NewUnauthorized("Unauthorized"))
		return
	}
	info, err := s.host.addresses.NewRequestInfo(r)
	if err != nil {
		refuse(w, apierrors.NewBadRequest(err.Error()))
		return
	}
	if !info.IsResourceRequest {
		s.other(w, r)
		return
	}
	counted := &statusWriter{ResponseWriter: w, code: http.StatusOK}
	s.objects(counted, r, info)
	s.host.counts.requests.WithLabelValues(verb(info, r), info.APIGroup, info.Resource, strconv.Itoa(counted.code)).Inc()
}

// verb returns the verb that API servers count.
func verb(info *request.RequestInfo, r *http.Request) string {
	switch {
	case info.Verb == "create":
		return "POST"
	case info.Verb == "patch" && strings.HasPrefix(r.Header.Get("Content-Type"), string(types.ApplyYAMLPatchType)):
		return "APPLY"
	}
	return strings.ToUpper(info.Verb)
}

// statusWriter records the status code.
type statusWriter struct {
	http.ResponseWriter
	code int
}

// WriteHeader makes it a http.ResponseWriter.
func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Unwrap is for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// call is one request about objects.
type call struct {
	server   *Server
	request  *http.Request
	resource resource
	name     types.NamespacedName // without a name: all
	partial  bool                 // the client wants metadata only
}

// objects answers a request about objects of a kind that is served.
func (s *Server) objects(w http.ResponseWriter, r *http.Request, info *request.RequestInfo) {
	at := schema.GroupVersionResource{Group: info.APIGroup, Version: info.APIVersion, Resource: info.Resource}
	kind, served := s.host.catalog.resources[at]
	if !served || info.Subresource != "" || kind.namespaced && info.Name != "" && info.Namespace == "" {
		http.Error(w, "404 page not found", http.StatusNotFound)
		return
	}
	c := call{server: s, request: r, resource: kind, name: types.NamespacedName{Name: info.Name}}
	if kind.namespaced {
		c.name.Namespace = info.Namespace
	}
	var err error
	if c.partial, err = accepted(r); err == nil {
		err = c.answer(w, info.Verb)
	}
	if err != nil {
		refuse(w, err)
	}
}

// answer calls the handler of the verb.
func (c *call) answer(w http.ResponseWriter, verb string) error {
	switch verb {
	case "get":
		return c.get(w)
	case "list":
		return c.list(w)
	case "watch":
		return c.watch(w)
	case "patch":
		return c.patch(w)
	case "create":
		return c.create(w)
	case "delete":
		return c.delete(w)
	}
	return apierrors.NewMethodNotSupported(c.resource.GroupResource(), verb)
}

func (c *call) get(w http.ResponseWriter) error {
	found := c.server.store.get(c.resource, c.name)
	if found == nil {
		return apierrors.NewNotFound(c.resource.GroupResource(), c.name.Name)
	}
	send(w, http.StatusOK, found.sent(c.partial))
	return nil
}
