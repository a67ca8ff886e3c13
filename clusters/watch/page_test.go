package watch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/clusters/list"
)

var (
	configMapKind = schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	configMaps    = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
)

// member is one API server, as a watch and as the dynamic client see it.
type member struct {
	server  Server
	objects dynamic.Interface
}

func connect(t testing.TB, cfg *rest.Config) member {
	http, err := rest.HTTPClientFor(cfg)
	require.NoError(t, err)
	t.Cleanup(http.CloseIdleConnections)
	dynamicConfig := dynamic.ConfigFor(cfg)
	dynamicConfig.APIPath, dynamicConfig.QPS = "/", -1
	client, err := rest.UnversionedRESTClientForConfigAndClient(dynamicConfig, http)
	require.NoError(t, err)
	return member{Server{Client: client, RequestTimeout: time.Minute}, dynamic.New(client)}
}

// served is an API server that answers as f does.
func served(t testing.TB, f http.HandlerFunc) *rest.Config {
	s := httptest.NewTLSServer(f)
	t.Cleanup(s.Close)
	return &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
}

// discard is a Sink that keeps nothing.
type discard struct{}

func (discard) Put(*unstructured.Unstructured)                                {}
func (discard) Delete(*unstructured.Unstructured)                             {}
func (discard) Listed(schema.GroupVersionKind, map[types.NamespacedName]bool) {}
func (discard) Lost(schema.GroupVersionKind, time.Time, error)                {}

// read reads and decodes a page.
func (k *kindWatcher) read(ctx context.Context, next string) (all []*unstructured.Unstructured, h list.Head, err error) {
	page, err := k.page(ctx, configMaps, next)
	for _, text := range page.objects {
		u, wrong := page.decode(text)
		all, err = append(all, u), errors.Join(err, wrong)
	}
	return all, page.Head, err
}

// A page equals the list of the dynamic client, and both reject the same responses.
func TestPagesAreReadAsByClientGo(t *testing.T) {
	const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","generation":3},"n":[1,2.5,1e3,9223372036854775808]}`
	for name, c := range map[string]struct {
		code    int
		answer  string
		refused bool
	}{
		"nothing":                     {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}`, false},
		"null":                        {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":null}`, false},
		"without items":               {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"}}`, false},
		"items with kinds":            {200, `{"apiVersion":"v1","items":[` + object + `,` + object + `],"kind":"ConfigMapList","metadata":{"resourceVersion":"7"}}`, false},
		"items without kinds":         {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}}]}`, false},
		"items without, kinds later":  {200, `{"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"7"},"kind":"ConfigMapList","apiVersion":"v1"}`, false},
		"an item with a version only": {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[{"apiVersion":"v2","metadata":{"name":"a"}}]}`, false},
		"more to come":                {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"b","remainingItemCount":3},"items":[` + object + `]}`, false},
		"no list":                     {200, `{}`, true},
		"a page for people":           {200, `<html></html>`, true},
		"half":                        {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[` + object, true},
		"half an item":                {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[` + object[:50], true},
		"a number of none":            {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[{"n":1e999}]}`, true},
		"items that are none":         {200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":{"a":1}}`, true},
		"not there":                   {404, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"NotFound","code":404}`, true},
		"not there, without a Status": {404, `404 page not found`, true},
		"too old":                     {410, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"old","reason":"Expired","code":410}`, true},
		"not for us":                  {403, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403}`, true},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			m := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.String()+" "+r.Header.Get("Accept"))
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.code)
				_, _ = w.Write([]byte(c.answer))
			}))
			k := kindWatcher{watcher: New(m.server, Scope{Labels: "x=y"}, nil), gvk: configMapKind}
			defer k.watcher.Close()
			want, refused := m.objects.Resource(configMaps).List(t.Context(), metav1.ListOptions{LabelSelector: k.watcher.scope.Labels, Limit: pageSize, Continue: "token"})
			got, h, err := k.read(t.Context(), "token")
			require.Len(t, asked, 2)
			require.Equal(t, asked[0], asked[1])
			require.Equal(t, c.refused, err != nil, "%v", err)
			require.Equal(t, c.refused, refused != nil, "%v", refused)
			if c.refused {
				require.Equal(t, apierrors.ReasonForError(refused), apierrors.ReasonForError(err), "%v, %v", refused, err)
				if c.code != http.StatusOK {
					require.Equal(t, refused.Error(), err.Error())
				}
				return
			}
			require.Equal(t, want.GetResourceVersion(), h.ResourceVersion)
			require.Equal(t, want.GetContinue(), h.Continue)
			require.Len(t, got, len(want.Items))
			for i := range got {
				require.Equal(t, want.Items[i].Object, got[i].Object)
			}
		})
	}
}

// manyObjects is the answer to a list, some 5 KB an object.
func manyObjects(n int) []byte {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"metadata":{"name":"web-%d","namespace":"shop","resourceVersion":"%d"},"spec":{"list":[%s]}}`,
			i, i, strings.TrimSuffix(strings.Repeat(`{"name":"a","value":"0123456789","weight":1,"on":true},`, 90), ",")))
	}
	return []byte(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[` + strings.Join(items, ",") + `]}`)
}

// BenchmarkPage compares reading a page with the dynamic client.
func BenchmarkPage(b *testing.B) {
	text := manyObjects(pageSize)
	cfg := served(b, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	})
	m := connect(b, cfg)
	k := kindWatcher{watcher: New(m.server, Scope{Labels: "x=y"}, nil), gvk: configMapKind}
	defer k.watcher.Close()
	b.Run("here", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			page, _, err := k.read(b.Context(), "")
			require.NoError(b, err)
			require.Len(b, page, pageSize)
		}
	})
	b.Run("dynamic", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			page, err := m.objects.Resource(configMaps).List(b.Context(), metav1.ListOptions{})
			require.NoError(b, err)
			require.Len(b, page.Items, pageSize)
		}
	})
}

// BenchmarkEvents compares reading events with the dynamic client.
func BenchmarkEvents(b *testing.B) {
	var u unstructured.UnstructuredList
	require.NoError(b, u.UnmarshalJSON(manyObjects(1)))
	text, err := u.Items[0].MarshalJSON()
	require.NoError(b, err)
	event := fmt.Sprintf(`{"type":"MODIFIED","object":%s}`+"\n", strings.TrimSpace(string(text)))
	b.Run("here", func(b *testing.B) {
		b.ReportAllocs()
		_, k := watchOf(b, event)
		body, err := k.open(b.Context(), configMaps)
		require.NoError(b, err)
		defer body.Close()
		b.ResetTimer()
		require.NoError(b, k.events(b.Context(), body))
	})
	b.Run("dynamic", func(b *testing.B) {
		b.ReportAllocs()
		m, _ := watchOf(b, event)
		w, err := m.objects.Resource(configMaps).Watch(b.Context(), metav1.ListOptions{})
		require.NoError(b, err)
		defer w.Stop()
		b.ResetTimer()
		for range w.ResultChan() {
		}
	})
}

// watchOf returns a watch of a server that sends event b.N times.
func watchOf(b *testing.B, event string) (member, *kindWatcher) {
	m := connect(b, served(b, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for range b.N {
			_, _ = w.Write([]byte(event))
		}
	}))
	k := &kindWatcher{watcher: New(m.server, Scope{Labels: "x=y"}, discard{}), gvk: configMapKind}
	b.Cleanup(k.watcher.Close)
	return m, k
}
