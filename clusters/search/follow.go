package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/clusters/list"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/internal/jsonobject"
)

const (
	// firstRetry and lastRetry bound the back-off while a cluster does not answer. Half of each pause is random.
	firstRetry = 200 * time.Millisecond
	lastRetry  = 10 * time.Second
	// absentRetry is the time between two looks for a kind that a cluster does not have.
	absentRetry = time.Minute
	// listTimeout bounds one page of a list, watchTime is the shortest time after which a watch is opened again.
	listTimeout = time.Minute
	watchTime   = 5 * time.Minute
	pageSize    = "500"
)

// Dial returns the way to the API server of a cluster, with the rights of accord there. The host of requests counts for nothing.
type Dial func(ctx context.Context, cluster string) (http.RoundTripper, error)

// errAbsent is the error of a kind that the cluster does not have.
var errAbsent = errors.New("the cluster does not serve the kind")

// follow keeps the cache current until ctx ends.
func (c *Cache) follow(ctx context.Context) {
	pause := firstRetry
	for ctx.Err() == nil {
		started := time.Now()
		err := c.listAndWatch(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errAbsent):
			c.absent()
			sleep(ctx, absentRetry)
			continue
		case err == nil && time.Since(started) > time.Second:
			pause = firstRetry
			continue
		case err == nil: // a server that ends every watch at once must not cause a tight loop
		case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
			c.forgetVersion()
		default:
			c.note(err)
		}
		sleep(ctx, pause/2+rand.N(pause/2))
		pause = min(2*pause, lastRetry)
	}
}

func sleep(ctx context.Context, pause time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// forgetVersion makes the next attempt list again.
func (c *Cache) forgetVersion() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version, c.revision = "", 0
}

// listAndWatch lists unless the cache has a position, and watches until the watch ends; nil if it ended without an error.
func (c *Cache) listAndWatch(ctx context.Context) error {
	c.mu.Lock()
	version := c.version
	c.mu.Unlock()
	if version == "" {
		if err := c.discover(ctx); err != nil {
			return err
		}
		if err := c.list(ctx); err != nil {
			return err
		}
	}
	_, version, _ = c.snapshot()
	query := watchQuery(version)
	return c.watch(ctx, query, func(kind string, o *Object, version string) bool {
		if o == nil {
			c.move(version)
		} else {
			c.put(kind, o)
		}
		return true
	})
}

// watchQuery returns the parameters of a watch from a position.
func watchQuery(version string) url.Values {
	seconds := int64((watchTime + rand.N(watchTime)) / time.Second)
	return url.Values{"watch": {"true"}, "allowWatchBookmarks": {"true"}, "resourceVersion": {version}, "timeoutSeconds": {strconv.FormatInt(seconds, 10)}}
}

// discover reads the plural name of the kind.
func (c *Cache) discover(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(egress.WithLimit(ctx, egress.Discovery), listTimeout)
	defer cancel()
	body, err := c.request(ctx, versionPath(c.kind.GroupVersion()), nil)
	if apierrors.IsNotFound(err) {
		return errAbsent
	}
	if err != nil {
		return err
	}
	defer body.Close()
	var served metav1.APIResourceList
	if err := json.NewDecoder(body).Decode(&served); err != nil {
		return fmt.Errorf("reading the resources of %s: %w", c.kind.GroupVersion(), err)
	}
	for _, r := range served.APIResources {
		if r.Kind == c.kind.Kind && len(r.Verbs) > 0 && (r.Group == "" || r.Group == c.kind.Group) && !strings.Contains(r.Name, "/") {
			c.mu.Lock()
			c.resource, c.namespaced = r.Name, r.Namespaced
			c.mu.Unlock()
			return nil
		}
	}
	return errAbsent
}

// list reads all objects, page by page.
func (c *Cache) list(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(egress.WithLimit(ctx, egress.Page), listTimeout)
	defer cancel()
	objects := map[string]*Object{}
	var pages list.Pages
	for next := ""; ; {
		if err := pages.Next(); err != nil {
			return err
		}
		query := url.Values{"limit": {pageSize}}
		if next != "" {
			query.Set("continue", next)
		}
		body, err := c.request(ctx, c.path(), query)
		if err != nil {
			return err
		}
		var wrong error
		head, err := list.Decode(body, func(text *json.RawMessage) {
			o, err := newObject(*text, c.Cluster, c.kind)
			if err != nil {
				wrong = err
				return
			}
			if c.scope.has(o.Namespace) {
				objects[o.key()] = o
			}
		})
		if err := errors.Join(err, wrong, body.Close()); err != nil {
			return err
		}
		if next = head.Continue; next == "" {
			c.replace(objects, head.ResourceVersion)
			return nil
		}
	}
}

// watch sends a watch to the cluster and calls event with each change, or with a position without an object, until event returns false.
// An error is an answer of the cluster; a connection that breaks is none.
func (c *Cache) watch(ctx context.Context, query url.Values, event func(kind string, o *Object, version string) bool) error {
	ctx, cancel := context.WithCancel(egress.WithLimit(ctx, egress.Unbounded))
	defer cancel()
	body, err := c.request(ctx, c.path(), query)
	if err != nil {
		return err
	}
	defer body.Close()
	c.note(nil)
	messages := &egress.Messages{From: body, Limit: egress.Event}
	for texts := jsonobject.NewReader(messages); ; {
		messages.Next()
		text, err := texts.Next()
		if errors.Is(err, egress.ErrTooLarge) {
			return err
		}
		if err != nil {
			return nil
		}
		c.pulse.beat()
		var received struct {
			Type   string          `json:"type"`
			Object json.RawMessage `json:"object"`
		}
		if err := json.Unmarshal(text, &received); err != nil {
			return nil
		}
		switch received.Type {
		case Added, Modified, Deleted:
			o, err := newObject(received.Object, c.Cluster, c.kind)
			if err != nil {
				return err
			}
			if !event(received.Type, o, o.Version) {
				return nil
			}
		case Bookmark:
			var mark metav1.PartialObjectMetadata
			if err := json.Unmarshal(received.Object, &mark); err != nil {
				return nil
			}
			if !event(Bookmark, nil, mark.ResourceVersion) {
				return nil
			}
		case "ERROR":
			var status metav1.Status
			if err := json.Unmarshal(received.Object, &status); err != nil || status.Code == http.StatusInternalServerError {
				return nil
			}
			return &apierrors.StatusError{ErrStatus: status}
		}
	}
}

// request sends a request to the cluster, and returns the body of the answer. Another answer than 200 is an error.
func (c *Cache) request(ctx context.Context, path string, query url.Values) (io.ReadCloser, error) {
	rt, err := c.pulse.dial(ctx, c.Cluster)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, (&url.URL{Scheme: "https", Host: "cluster", Path: path, RawQuery: query.Encode()}).String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	answer, err := egress.Transport{Next: rt}.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusOK {
		c.pulse.beat()
		return answer.Body, nil
	}
	defer answer.Body.Close()
	var status metav1.Status
	if err := json.NewDecoder(answer.Body).Decode(&status); err == nil && status.Kind == "Status" {
		return nil, &apierrors.StatusError{ErrStatus: status}
	}
	return nil, apierrors.NewGenericServerResponse(answer.StatusCode, "get", schema.GroupResource{Group: c.kind.Group, Resource: c.resource}, "", answer.Status, 0, true)
}
