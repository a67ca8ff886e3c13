package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/jsonobject"
)

// open starts a watch at k.resourceVersion.
func (k *kindWatcher) open(ctx context.Context, resource schema.GroupVersionResource) (io.ReadCloser, error) {
	end := int64((serverTimeout + rand.N(serverTimeout)) / time.Second)
	return k.request(resource).Param("watch", "true").Param("allowWatchBookmarks", "true").Param("resourceVersion", k.resourceVersion).
		Param("timeoutSeconds", strconv.FormatInt(end, 10)).Stream(egress.WithLimit(ctx, egress.Unbounded))
}

// events passes events to the sink until the watch ends, and returns nil unless the API server sent an error or an event
// that is too large. A connection that broke or a malformed event is no error: the next watch resumes after the last event.
func (k *kindWatcher) events(ctx context.Context, body io.Reader) error {
	messages := &egress.Messages{From: body, Limit: egress.Event}
	texts := jsonobject.NewReader(messages)
	for {
		messages.Next()
		u, kind, err := nextEvent(texts)
		if errors.Is(err, egress.ErrTooLarge) {
			return fmt.Errorf("watching %s: %w", k.gvk.Kind, err)
		}
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

// errNoEvent ends a watch in the same way as a broken connection.
var errNoEvent = errors.New("malformed watch event")

// nextEvent decodes one event.
func nextEvent(texts *jsonobject.Reader) (*unstructured.Unstructured, apiwatch.EventType, error) {
	text, err := texts.Next()
	if err != nil {
		return nil, "", err
	}
	event, err := jsonobject.Unmarshal(text)
	if err != nil {
		return nil, "", err
	}
	name, _ := event["type"].(string)
	object, _ := event["object"].(map[string]any)
	u := &unstructured.Unstructured{Object: object}
	switch kind := apiwatch.EventType(name); kind {
	case apiwatch.Added, apiwatch.Modified, apiwatch.Deleted, apiwatch.Bookmark, apiwatch.Error:
		if u.GetKind() != "" {
			return u, kind, nil
		}
	}
	return nil, "", errNoEvent
}

// errorOfEvent returns the error that an ERROR event carries; nil for an internal server error, after which the watch
// resumes.
func errorOfEvent(u *unstructured.Unstructured) error {
	err := apierrors.FromObject(u)
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError {
		return nil
	}
	return err
}
