package watch

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/list"
)

// Requests use client-go's REST client, and this package decodes the responses. The dynamic client parses the text of
// an object about eight times, decodes each object of a list twice, and runs a goroutine for every watch. A Reflector
// would hold a whole list in memory.

// request returns a request for all objects of a kind that match the selector.
func (k *kindWatcher) request(resource schema.GroupVersionResource) *rest.Request {
	path := []string{"/apis", resource.Group, resource.Version, resource.Resource}
	if resource.Group == "" {
		path = []string{"/api", resource.Version, resource.Resource}
	}
	return k.watcher.server.Client.Get().AbsPath(path...).SetHeader("Accept", "application/json").Param("labelSelector", k.watcher.selector)
}

var errNoList = errors.New("the response is not a list")

// page reads one page of a list; next is empty for the first. It puts nothing before the page was read completely,
// because a sink may take longer than the timeout of a request.
func (k *kindWatcher) page(ctx context.Context, resource schema.GroupVersionResource, next string) (page []*unstructured.Unstructured, h list.Head, err error) {
	ctx, cancel := context.WithTimeout(ctx, k.watcher.server.RequestTimeout)
	defer cancel()
	request := k.request(resource).Param("limit", strconv.Itoa(pageSize))
	if next != "" {
		request.Param("continue", next)
	}
	body, err := request.Stream(ctx)
	if err != nil {
		return nil, h, err
	}
	var objects []map[string]any
	h, err = list.Decode(body, func(o *map[string]any) { objects = append(objects, *o) })
	if err = errors.Join(err, body.Close()); err != nil {
		return nil, h, err
	}
	if h.Kind == "" {
		return nil, h, errNoList
	}
	for _, o := range objects {
		u, err := unstructuredOf(o)
		if err != nil {
			return nil, h, err
		}
		if u.GetKind() == "" && u.GetAPIVersion() == "" { // API servers omit them where the list has them
			u.SetKind(strings.TrimSuffix(h.Kind, "List"))
			u.SetAPIVersion(h.APIVersion)
		}
		page = append(page, u)
	}
	return page, h, nil
}

// unstructuredOf converts numbers as Kubernetes does: whole ones to int64, others to float64.
func unstructuredOf(decoded map[string]any) (*unstructured.Unstructured, error) {
	if err := utiljson.ConvertMapNumbers(decoded, 0); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: decoded}, nil
}
