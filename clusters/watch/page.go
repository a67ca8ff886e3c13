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

// What a watch is told is asked for with client-go, and read here. The dynamic client goes over the text of an object some
// eight times, decodes each of a list twice, and has a goroutine for every watch.

// request is about all objects of a kind that are watched.
func (k *kindWatcher) request(resource schema.GroupVersionResource) *rest.Request {
	path := []string{"/apis", resource.Group, resource.Version, resource.Resource}
	if resource.Group == "" {
		path = []string{"/api", resource.Version, resource.Resource}
	}
	return k.watcher.server.Client.Get().AbsPath(path...).SetHeader("Accept", "application/json").Param("labelSelector", k.watcher.selector)
}

var errNoList = errors.New("what was answered is no list")

// page is some of what is there: what comes first, or what comes next. None of it is put before all of it was read, because
// a sink may take longer than a request.
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
		if u.GetKind() == "" && u.GetAPIVersion() == "" { // API servers leave it out where the list has it
			u.SetKind(strings.TrimSuffix(h.Kind, "List"))
			u.SetAPIVersion(h.APIVersion)
		}
		page = append(page, u)
	}
	return page, h, nil
}

// unstructuredOf has the numbers of what was decoded as all of Kubernetes has them: int64 where they are whole, else float64.
func unstructuredOf(decoded map[string]any) (*unstructured.Unstructured, error) {
	if err := utiljson.ConvertMapNumbers(decoded, 0); err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: decoded}, nil
}
