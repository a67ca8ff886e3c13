package fanout_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/cmd/accord/hub"
	"github.com/accord-dev/accord/cmd/accord/members/fanout"
	"github.com/accord-dev/accord/cmd/accord/members/merge"
)

// world is a hub with clusters, whose answers are functions of the path on the cluster.
type world struct {
	*testing.T
	hub    *httptest.Server
	fleet  *fanout.Fleet
	client *http.Client
	warned chan fanout.Failure
}

func newWorld(t *testing.T, clusters map[string]http.HandlerFunc, order ...string) *world {
	w := &world{T: t, warned: make(chan fanout.Failure, 10)}
	mux := http.NewServeMux()
	for name, answer := range clusters {
		prefix := "/base" + hub.ProxyPath(name)
		if name == "Hub" {
			prefix = "/base"
		}
		mux.Handle(prefix+"/", http.StripPrefix(prefix, answer))
	}
	w.hub = httptest.NewServer(mux)
	t.Cleanup(w.hub.Close)
	var servers []fanout.Server
	for _, name := range order {
		servers = append(servers, fanout.Server{Source: merge.Source{Name: name, Hub: name == "Hub"}, Limit: 5 * time.Second})
	}
	w.fleet = fanout.New(servers, "/base", func(f fanout.Failure) { w.warned <- f })
	w.client = &http.Client{Transport: w.fleet.Wrap(http.DefaultTransport)}
	return w
}

// get returns the names of the objects that are answered, each with its cluster, or the reason of an error.
func (w *world) get(path string) string {
	resp, err := w.client.Get(w.hub.URL + "/base" + path)
	require.NoError(w, err)
	defer resp.Body.Close()
	var list struct {
		Reason string
		Items  []struct {
			Metadata struct {
				Name        string
				Annotations map[string]string
			}
		}
	}
	require.NoError(w, json.NewDecoder(resp.Body).Decode(&list))
	var all []string
	for _, item := range list.Items {
		all = append(all, item.Metadata.Annotations[merge.SourceAnnotation]+"/"+item.Metadata.Name)
	}
	return strings.TrimSpace(list.Reason + " " + strings.Join(all, " "))
}

func (w *world) failures() string {
	var all []string
	for _, f := range w.fleet.Failures() {
		all = append(all, f.Server+": "+f.Err.Error())
	}
	return strings.Join(all, "\n")
}

// items answers with a list, of one object a page.
func items(names ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page, more := 0, ""
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &page) // the first page has none
		if page+1 < len(names) {
			more = fmt.Sprint(page + 1)
		}
		fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":%q},"items":[{"metadata":{"name":%q}}]}`, more, names[page])
	}
}

func refuses(code int, reason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"kind":"Status","code":%d,"reason":%q,"message":%q}`, code, reason, message)
	}
}

func TestReads(t *testing.T) {
	forbidden := refuses(403, "Forbidden", "eu refuses")
	absent := refuses(404, "NotFound", "no such object")
	for _, x := range []struct {
		name               string
		clusters           map[string]http.HandlerFunc
		want, wantFailures string
	}{
		{"all answer, in pages", map[string]http.HandlerFunc{"eu": items("a", "b"), "us": items("c")}, "eu/a eu/b us/c", ""},
		{"one fails", map[string]http.HandlerFunc{"eu": forbidden, "us": items("c")}, "us/c", "eu: eu refuses"},
		{"one does not have the object", map[string]http.HandlerFunc{"eu": absent, "us": items("c")}, "us/c", ""},
		{"none has the object", map[string]http.HandlerFunc{"eu": absent, "us": absent}, "NotFound", ""},
		{"the only one that answers does not have the object", map[string]http.HandlerFunc{"eu": forbidden, "us": absent}, "NotFound", "eu: eu refuses"},
		{"all fail", map[string]http.HandlerFunc{"eu": forbidden, "us": forbidden}, "NoClusterAnswers", "eu: eu refuses\nus: eu refuses"},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld(t, x.clusters, "eu", "us")
			require.Equal(t, x.want, w.get("/api/v1/pods?limit=1"))
			require.Equal(t, x.wantFailures, w.failures())
		})
	}
}

func TestTheHubIsOneOfTheServers(t *testing.T) {
	w := newWorld(t, map[string]http.HandlerFunc{"Hub": items("h"), "eu": items("a")}, "Hub", "eu")
	require.Equal(t, "/h eu/a", w.get("/api/v1/pods"))
}

func TestAClusterThatDoesNotAnswerInTime(t *testing.T) {
	w := newWorld(t, map[string]http.HandlerFunc{"eu": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "us": items("c")})
	fleet := fanout.New([]fanout.Server{{Source: merge.Source{Name: "eu"}, Limit: 50 * time.Millisecond}, {Source: merge.Source{Name: "us"}, Limit: time.Minute}}, "/base", nil)
	w.fleet, w.client = fleet, &http.Client{Transport: fleet.Wrap(http.DefaultTransport)}
	require.Equal(t, "us/c", w.get("/api/v1/pods"))
	require.Equal(t, "eu: no answer within 50ms", w.failures())
}

func TestWritesGoToNoCluster(t *testing.T) {
	var asked atomic.Int32
	w := newWorld(t, map[string]http.HandlerFunc{"eu": func(http.ResponseWriter, *http.Request) { asked.Add(1) }}, "eu")
	req, err := http.NewRequest(http.MethodDelete, w.hub.URL+"/base/api/v1/namespaces/default/pods/web", nil)
	require.NoError(t, err)
	resp, err := w.client.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
	require.Zero(t, asked.Load())
}

// TestWatch: us ends its watch and is watched again from its last event on; eu fails, and the others go on.
func TestWatch(t *testing.T) {
	event := func(w io.Writer, name, version string) {
		fmt.Fprintf(w, `{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":%q,"resourceVersion":%q}}}`+"\n", name, version)
	}
	failing := make(chan struct{})
	w := newWorld(t, map[string]http.HandlerFunc{
		"eu": func(w http.ResponseWriter, r *http.Request) {
			event(w, "a", "6")
			_ = http.NewResponseController(w).Flush()
			<-failing
			fmt.Fprintln(w, `{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}`)
		},
		"us": func(w http.ResponseWriter, r *http.Request) {
			if version := r.URL.Query().Get("resourceVersion"); version == "5" {
				event(w, "b", "7") // and the answer ends
			} else {
				event(w, "after-"+version, "8")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}
		},
		"za": refuses(403, "Forbidden", "za refuses"),
	}, "eu", "us", "za")
	version := merge.EncodeVersions(map[string]string{"eu": "5", "us": "5", "za": "5"})
	resp, err := w.client.Get(w.hub.URL + "/base/api/v1/pods?watch=true&resourceVersion=" + version)
	require.NoError(t, err)
	seen, decoder := map[string]bool{}, json.NewDecoder(resp.Body)
	next := func() {
		var e struct {
			Object struct {
				Metadata struct {
					Name        string
					Annotations map[string]string
				}
			}
		}
		require.NoError(t, decoder.Decode(&e))
		seen[e.Object.Metadata.Annotations[merge.SourceAnnotation]+"/"+e.Object.Metadata.Name] = true
	}
	next()
	next()
	next()
	require.Equal(t, map[string]bool{"eu/a": true, "us/b": true, "us/after-7": true}, seen)
	require.Equal(t, "za", (<-w.warned).Server)
	close(failing)
	require.EqualError(t, (<-w.warned).Err, "the watch ended: too old")
	require.Equal(t, "eu: the watch ended: too old\nza: za refuses", w.failures())
	require.NoError(t, resp.Body.Close())
}

// TestKindsOfAnotherCluster: the first cluster does not answer, the second one has another kind than the third one.
func TestKindsOfAnotherCluster(t *testing.T) {
	having := func(kind string) func() (meta.RESTMapper, error) {
		m := meta.NewDefaultRESTMapper(nil)
		m.Add(schema.GroupVersionKind{Group: "example", Version: "v1", Kind: kind}, meta.RESTScopeNamespace)
		return func() (meta.RESTMapper, error) { return m, nil }
	}
	dead := func() (meta.RESTMapper, error) { return nil, fmt.Errorf("eu does not answer") }
	m := fanout.Mapper{dead, having("Apple"), having("Pear")}
	for _, kind := range []string{"apples", "pears"} {
		r, err := m.ResourceFor(schema.GroupVersionResource{Resource: kind})
		require.NoError(t, err)
		require.Equal(t, kind, r.Resource)
	}
	_, err := m.ResourceFor(schema.GroupVersionResource{Resource: "plums"})
	require.True(t, meta.IsNoMatchError(err), "%v", err)
	_, err = fanout.Mapper{dead}.KindFor(schema.GroupVersionResource{Resource: "plums"})
	require.EqualError(t, err, "eu does not answer")
}
