package apiserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/delivery"
)

func (w *world) longPoll() {
	require.NoError(w, w.store.Publish("poll", bundle("poll", 1)))
	defer w.store.Remove("poll")
	index, _ := w.store.Index("poll")
	next := bundle("poll", 2)
	go func() {
		for w.store.Counts().Waiting == 0 {
			time.Sleep(time.Millisecond)
		}
		_ = w.store.Publish("us", w.us)   // no news for anybody
		_ = w.store.Publish("poll", next) // an error shows below
	}()
	status, header, text := w.try(&w.admin, http.MethodGet, path+"/poll/index?wait=30s", "", `If-None-Match: "`+index.Digest+`"`)
	require.Equal(w, http.StatusOK, status)
	require.Equal(w, string(next.Index), string(text))
	require.Equal(w, `"`+delivery.Digest(next.Index)+`"`, header.Get("ETag"))
	require.Zero(w, w.store.Counts().Waiting)
	status, _, _ = w.try(&w.admin, http.MethodGet, path+"/poll/index?wait=30s", "", `If-None-Match: "`+index.Digest+`"`)
	require.Equal(w, http.StatusOK, status, "a client that is behind does not wait")

	for _, coding := range []string{"Accept-Encoding: identity", "Accept: */*"} { // without a header the client requests gzip
		status, header, text = w.try(&w.admin, http.MethodGet, path+"/poll/index?objects=new&wait=30s", "", `If-None-Match: "`+index.Digest+`"`, coding)
		require.Equal(w, http.StatusOK, status)
		require.Equal(w, delivery.MediaType, header.Get("Content-Type"))
		texts := json.NewDecoder(bytes.NewReader(text))
		var got json.RawMessage
		require.NoError(w, texts.Decode(&got))
		require.Equal(w, string(next.Index), string(got))
		added := map[string][]byte{}
		for texts.More() {
			var content delivery.Content
			require.NoError(w, texts.Decode(&content))
			added[content.Digest] = content.Body
		}
		require.Len(w, added, 1)
		for digest, body := range added {
			require.Equal(w, string(next.Objects[digest]), string(body))
		}
	}
	_, _, text = w.try(&w.admin, http.MethodGet, path+"/poll/index?objects=new", "")
	require.Equal(w, string(next.Index), string(text), "no object for a client without an index")
}

func (w *world) longPollEnds() {
	start := time.Now()
	status, header, _ := w.try(&w.agent, http.MethodGet, path+"/eu/index?wait=300ms", "", `If-None-Match: "`+delivery.Digest(w.eu.Index)+`"`)
	require.Equal(w, http.StatusNotModified, status)
	require.NotEmpty(w, header.Get("ETag"))
	require.GreaterOrEqual(w, time.Since(start), 300*time.Millisecond)
	require.Zero(w, w.store.Counts().Waiting)
}

// wait sends n requests that wait for a cluster, and returns the function that ends them.
func (w *world) wait(cluster string, n int) (end func()) {
	index, there := w.store.Index(cluster)
	require.True(w, there)
	ctx, cancel := context.WithCancel(w.Context())
	var running sync.WaitGroup
	for range n {
		running.Go(func() {
			r, _ := http.NewRequestWithContext(ctx, http.MethodGet, w.hub.Host+path+"/"+cluster+"/index?wait=50s", nil)
			r.Header.Set("If-None-Match", `"`+index.Digest+`"`)
			if resp, err := w.admin.Do(r); err == nil {
				_ = resp.Body.Close()
			}
		})
	}
	return func() { cancel(); running.Wait() }
}

func (w *world) awaitWaiting(n int) {
	w.Helper()
	require.Eventually(w, func() bool { return w.store.Counts().Waiting == n }, patience, 5*time.Millisecond, "%d wait", n)
}

func (w *world) waitingIsBounded() {
	end := w.wait("us", delivery.MaxWaiting)
	w.awaitWaiting(delivery.MaxWaiting)
	s := w.refused(http.StatusTooManyRequests, &w.admin, http.MethodGet, path+"/us/index?wait=1s", "", `If-None-Match: "`+delivery.Digest(w.us.Index)+`"`)
	require.Contains(w, s.Message, "at most 8 requests and watches wait")
	s = w.refused(http.StatusTooManyRequests, &w.admin, http.MethodGet, path+"?watch=true&fieldSelector=metadata.name%3Dus", "")
	require.Contains(w, s.Message, "at most 8 requests and watches wait")
	status, _, _ := w.try(&w.admin, http.MethodGet, path+"/us/index", "")
	require.Equal(w, http.StatusOK, status)
	end()
	w.awaitWaiting(0)
}

// waitingIsFree has more waiting requests than an API server has requests in flight, 400.
func (w *world) waitingIsFree() {
	const clusters = 52
	var ends []func()
	for i := range clusters {
		name := fmt.Sprintf("idle-%d", i)
		require.NoError(w, w.store.Publish(name, bundle(name, 0)))
		defer w.store.Remove(name)
		ends = append(ends, w.wait(name, delivery.MaxWaiting))
	}
	w.awaitWaiting(clusters * delivery.MaxWaiting)
	status, _, _ := w.try(&w.agent, http.MethodGet, path+"/eu/index", "")
	require.Equal(w, http.StatusOK, status)
	for _, end := range ends {
		end()
	}
	w.awaitWaiting(0)
}

// watcher returns a watch of the Bundle of a cluster.
func (w *world) watcher(cfg *rest.Config, cluster, resourceVersion string) watch.Interface {
	w.Helper()
	c, err := dynamic.NewForConfig(cfg)
	require.NoError(w, err)
	events, err := c.Resource(delivery.GroupVersion.WithResource("bundles")).Watch(w.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + cluster, ResourceVersion: resourceVersion})
	require.NoError(w, err)
	return events
}

// event returns the next event of a watch: its type, the index of the Bundle, and its resourceVersion.
func (w *world) event(events watch.Interface) (change watch.EventType, index, resourceVersion string) {
	w.Helper()
	select {
	case e := <-events.ResultChan():
		if e.Type == watch.Error {
			return e.Type, string(apierrors.ReasonForError(apierrors.FromObject(e.Object))), ""
		}
		text, err := json.Marshal(e.Object)
		require.NoError(w, err)
		var b delivery.Bundle
		require.NoError(w, json.Unmarshal(text, &b))
		return e.Type, b.Status.Index, b.ResourceVersion
	case <-time.After(patience):
		require.Fail(w, "no event")
		return "", "", ""
	}
}

func (w *world) watches() {
	events := w.watcher(w.as("us"), "us", "")
	defer events.Stop()
	change, index, _ := w.event(events)
	require.Equal(w, []string{"ADDED", delivery.Digest(w.us.Index)}, []string{string(change), index})
	defer func() { require.NoError(w, w.store.Publish("us", w.us)) }()
	next := bundle("us", 5)
	require.NoError(w, w.store.Publish("asia", next))
	require.NoError(w, w.store.Publish("us", next))
	w.store.Remove("asia")
	change, index, _ = w.event(events)
	require.Equal(w, []string{"MODIFIED", delivery.Digest(next.Index)}, []string{string(change), index})
	w.store.Remove("us")
	change, _, _ = w.event(events)
	require.Equal(w, watch.Deleted, change)
}

func (w *world) watchContinues() {
	first := w.watcher(w.hub, "us", "")
	defer first.Stop()
	_, _, version := w.event(first)
	next := bundle("us", 6)
	require.NoError(w, w.store.Publish("us", next))
	second := w.watcher(w.hub, "us", version)
	defer second.Stop()
	change, index, version := w.event(second)
	require.Equal(w, []string{"MODIFIED", delivery.Digest(next.Index)}, []string{string(change), index})
	require.NoError(w, w.store.Publish("us", w.us))
	w.store.Remove("gone") // nothing
	third := w.watcher(w.hub, "us", version)
	defer third.Stop()
	change, _, _ = w.event(third)
	require.Equal(w, watch.Modified, change)
	require.NoError(w, w.store.Publish("gone", next))
	w.store.Remove("gone")
	fourth := w.watcher(w.hub, "us", version)
	fourth.Stop()
	for _, expired := range []string{version, "1", "99999999999999999"} {
		s := w.refused(http.StatusGone, &w.admin, http.MethodGet, path+"?watch=true&resourceVersion="+expired, "")
		require.Equal(w, metav1.StatusReasonExpired, s.Reason)
	}
	w.refused(http.StatusBadRequest, &w.admin, http.MethodGet, path+"?watch=true&resourceVersion=x", "")
}
