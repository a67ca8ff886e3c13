package clusters

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	apiwatch "k8s.io/apimachinery/pkg/watch"
)

// open begins to watch after k.version. What comes is read here and not by client-go, which goes over the text of an object
// some eight times before it is decoded, in a goroutine of its own.
func (k *kindWatch) open(ctx context.Context, resource schema.GroupVersionResource) (io.ReadCloser, error) {
	path := []string{"/apis", resource.Group, resource.Version, resource.Resource}
	if resource.Group == "" {
		path = []string{"/api", resource.Version, resource.Resource}
	}
	end := int64((watchEnd + rand.N(watchEnd)) / time.Second)
	return k.watch.member.client.Get().AbsPath(path...).SetHeader("Accept", "application/json").
		Param("watch", "true").Param("allowWatchBookmarks", "true").Param("timeoutSeconds", strconv.FormatInt(end, 10)).
		Param("labelSelector", k.watch.selector).Param("resourceVersion", k.version).Stream(ctx)
}

// event is what a watch tells.
type event struct {
	Type   apiwatch.EventType `json:"type"`
	Object map[string]any     `json:"object"`
}

// events hands over what happens until the watch ends; nil if it ended in good order. One that broke off, or in which stands what is
// no event, is taken up where it ended, too.
func (k *kindWatch) events(ctx context.Context, body io.Reader) error {
	text := json.NewDecoder(body)
	text.UseNumber()
	for {
		u, kind, err := next(text)
		if err != nil || ctx.Err() != nil {
			return nil
		}
		if kind == apiwatch.Error {
			return ended(u)
		}
		k.version = u.GetResourceVersion()
		switch kind {
		case apiwatch.Added, apiwatch.Modified:
			k.watch.sink.Put(u)
		case apiwatch.Deleted:
			k.watch.sink.Delete(u)
		}
	}
}

var errNoEvent = errors.New("that is no event of a watch")

// next is one event, with numbers as all of Kubernetes has them: int64 where they are whole, else float64.
func next(text *json.Decoder) (*unstructured.Unstructured, apiwatch.EventType, error) {
	var e event
	if err := text.Decode(&e); err != nil {
		return nil, "", err
	}
	if err := utiljson.ConvertMapNumbers(e.Object, 0); err != nil {
		return nil, "", err
	}
	u := &unstructured.Unstructured{Object: e.Object}
	switch e.Type {
	case apiwatch.Added, apiwatch.Modified, apiwatch.Deleted, apiwatch.Bookmark, apiwatch.Error:
		if u.GetKind() != "" {
			return u, e.Type, nil
		}
	}
	return nil, "", errNoEvent
}

// ended is why the API server ended a watch; nil for an internal error, after which it is taken up where it ended.
func ended(u *unstructured.Unstructured) error {
	err := apierrors.FromObject(u)
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError {
		return nil
	}
	return err
}
