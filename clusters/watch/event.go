package watch

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
	apiwatch "k8s.io/apimachinery/pkg/watch"
)

// open begins to watch after k.version.
func (k *kindWatcher) open(ctx context.Context, resource schema.GroupVersionResource) (io.ReadCloser, error) {
	end := int64((serverTimeout + rand.N(serverTimeout)) / time.Second)
	return k.request(resource).Param("watch", "true").Param("allowWatchBookmarks", "true").Param("resourceVersion", k.resourceVersion).
		Param("timeoutSeconds", strconv.FormatInt(end, 10)).Stream(ctx)
}

// event is what a watch tells.
type event struct {
	Type   apiwatch.EventType `json:"type"`
	Object map[string]any     `json:"object"`
}

// events hands over what happens until the watch ends; nil if it ended in good order. One that broke off, or in which stands
// what is no event, is taken up where it ended, too.
func (k *kindWatcher) events(ctx context.Context, body io.Reader) error {
	text := json.NewDecoder(body)
	text.UseNumber()
	for {
		u, kind, err := nextEvent(text)
		if err != nil || ctx.Err() != nil {
			return nil
		}
		if kind == apiwatch.Error {
			return errorOfEvent(u)
		}
		k.resourceVersion = u.GetResourceVersion()
		switch kind {
		case apiwatch.Added, apiwatch.Modified:
			k.watcher.sink.Put(u)
		case apiwatch.Deleted:
			k.watcher.sink.Delete(u)
		}
	}
}

// errNoEvent ends a watch like a connection that breaks off.
var errNoEvent = errors.New("that is no event of a watch")

// nextEvent is one event.
func nextEvent(text *json.Decoder) (*unstructured.Unstructured, apiwatch.EventType, error) {
	var e event
	if err := text.Decode(&e); err != nil {
		return nil, "", err
	}
	u, err := unstructuredOf(e.Object)
	if err != nil {
		return nil, "", err
	}
	switch e.Type {
	case apiwatch.Added, apiwatch.Modified, apiwatch.Deleted, apiwatch.Bookmark, apiwatch.Error:
		if u.GetKind() != "" {
			return u, e.Type, nil
		}
	}
	return nil, "", errNoEvent
}

// errorOfEvent is why the API server ended a watch; nil for an internal error, after which it is taken up where it ended.
func errorOfEvent(u *unstructured.Unstructured) error {
	err := apierrors.FromObject(u)
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError {
		return nil
	}
	return err
}
