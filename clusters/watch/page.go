package watch

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/list"
	"github.com/accord-dev/accord/internal/jsonobject"
)

// Requests use client-go's REST client, and this package decodes the responses. The dynamic client parses the text of
// an object about eight times, decodes each object of a list twice, and runs a goroutine for every watch. A Reflector
// would hold a whole list in memory.

// request returns a request for all objects of a kind in the scope.
func (k *kindWatcher) request(resource schema.GroupVersionResource) *rest.Request {
	path, scope := []string{"/apis", resource.Group, resource.Version}, k.watcher.scope
	if resource.Group == "" {
		path = []string{"/api", resource.Version}
	}
	if scope.Namespace != "" {
		path = append(path, "namespaces", scope.Namespace)
	}
	r := k.watcher.server.Client.Get().AbsPath(append(path, resource.Resource)...).SetHeader("Accept", "application/json")
	if scope.Labels != "" {
		r.Param("labelSelector", scope.Labels)
	}
	if scope.Fields != "" {
		r.Param("fieldSelector", scope.Fields)
	}
	return r
}

var errNoList = errors.New("the response is not a list")

// page is one page of a list. Its objects are text: decoded ones take ten times the memory.
type page struct {
	list.Head
	objects []json.RawMessage
}

// page reads one page of a list; next is empty for the first. It puts nothing before the page was read completely,
// because a sink may take longer than the timeout of a request.
func (k *kindWatcher) page(ctx context.Context, resource schema.GroupVersionResource, next string) (p page, err error) {
	ctx, cancel := context.WithTimeout(ctx, k.watcher.server.RequestTimeout)
	defer cancel()
	request := k.request(resource).Param("limit", strconv.Itoa(pageSize))
	if next != "" {
		request.Param("continue", next)
	}
	body, err := request.Stream(ctx)
	if err != nil {
		return p, err
	}
	p.Head, err = list.Decode(body, func(o *json.RawMessage) { p.objects = append(p.objects, *o) })
	if err = errors.Join(err, body.Close()); err != nil {
		return p, err
	}
	if p.Kind == "" {
		return p, errNoList
	}
	return p, nil
}

// decode decodes one object of the page. API servers omit its kind where the list has it.
func (p page) decode(text []byte) (*unstructured.Unstructured, error) {
	object, err := jsonobject.Unmarshal(text)
	if err != nil {
		return nil, err
	}
	if object == nil {
		object = map[string]any{}
	}
	u := &unstructured.Unstructured{Object: object}
	if u.GetKind() == "" && u.GetAPIVersion() == "" {
		u.SetKind(strings.TrimSuffix(p.Kind, "List"))
		u.SetAPIVersion(p.APIVersion)
	}
	return u, nil
}
