package search

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var pods = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}

// pod returns an object as API servers send it.
func pod(t *testing.T, cluster, name, version, app string) *Object {
	text := fmt.Sprintf(`{"metadata":{"name":%q,"namespace":"shop","resourceVersion":%q,"labels":{"app":%q},"managedFields":[{"manager":"x"}]},"spec":{"nodeName":"n1"}}`, name, version, app)
	o, err := newObject([]byte(text), cluster, pods)
	require.NoError(t, err)
	return o
}

// cached returns a cache with a list of its cluster.
func cached(t *testing.T, s *Set, cluster, version string, objects ...*Object) *Cache {
	c := newCache(&pulse{cluster: cluster, dial: s.dial}, pods, nil)
	all := map[string]*Object{}
	for _, o := range objects {
		all[o.key()] = o
	}
	c.replace(all, version)
	s.running[Key{cluster, pods}] = running{c, func() {}}
	return c
}

func noDial(context.Context, string) (http.RoundTripper, error) { return nil, fmt.Errorf("no cluster") }

func TestObjectsKeepTheirJSON(t *testing.T) {
	o := pod(t, "eu", "web", "7", "a")
	var u map[string]any
	require.NoError(t, json.Unmarshal(o.AppendJSON(nil, "abc"), &u))
	require.Equal(t, map[string]any{
		"apiVersion": "v1", "kind": "Pod", "spec": map[string]any{"nodeName": "n1"},
		"metadata": map[string]any{
			"name": "web", "namespace": "shop", "resourceVersion": "abc", "labels": map[string]any{"app": "a"}, "annotations": map[string]any{ClusterAnnotation: "eu"},
		},
	}, u)
	u = nil
	require.NoError(t, json.Unmarshal(o.AppendMetadata(nil, "abc"), &u))
	require.Equal(t, "PartialObjectMetadata", u["kind"])
	require.NotContains(t, u, "spec")
	_, err := newObject([]byte(`{"metadata":{}}`), "eu", pods)
	require.ErrorContains(t, err, "has no name")
}

func TestVersionsAreThoseOfKarmada(t *testing.T) {
	v := Versions{"us": "12", "eu": "7"}
	require.Equal(t, "eyJldSI6IjciLCJ1cyI6IjEyIn0", v.String(), `base64url of {"eu":"7","us":"12"}`)
	parsed, err := ParseVersions(v.String())
	require.NoError(t, err)
	require.Equal(t, v, parsed)
	for _, empty := range []string{"", "0"} {
		parsed, err := ParseVersions(empty)
		require.NoError(t, err)
		require.Nil(t, parsed)
	}
	for _, wrong := range []string{"12", "e30", "not base64", "eyJldSI6N30"} {
		_, err := ParseVersions(wrong)
		require.Error(t, err, wrong)
	}
	require.Equal(t, "12", On("us", v.String()))
	require.Equal(t, "34", On("us", "34"), "a plain one is that of the cluster")
}

func TestPagesCrossClusters(t *testing.T) {
	s := NewSet(noDial)
	eu := cached(t, s, "eu", "10", pod(t, "eu", "a", "1", "x"), pod(t, "eu", "b", "2", "y"), pod(t, "eu", "c", "3", "x"))
	us := cached(t, s, "us", "20", pod(t, "us", "a", "4", "x"))
	caches := []*Cache{eu, us}
	var names []string
	next, version := "", Versions{"eu": "10", "us": "20"}.String()
	for {
		page, err := List(caches, Selector{Labels: labels.SelectorFromSet(labels.Set{"app": "x"})}, 1, next)
		require.NoError(t, err)
		require.Equal(t, version, page.Version, "every page has the version of the first one")
		for _, o := range page.Objects {
			names = append(names, o.Cluster+"/"+o.Name)
		}
		eu.put(Modified, pod(t, "eu", "b", "11", "y"))
		if next = page.Continue; next == "" {
			break
		}
	}
	require.Equal(t, []string{"eu/a", "eu/c", "us/a"}, names)
	page, err := List(caches, Selector{Namespace: "shop", Fields: fields.ParseSelectorOrDie("spec.nodeName=n1,metadata.name!=a")}, 0, "")
	require.NoError(t, err)
	require.Len(t, page.Objects, 2)
	_, err = List(caches, Selector{}, 0, "7")
	require.Error(t, err)
}

// following runs a watch and returns its events.
func following(t *testing.T, w *Watch) (events <-chan Event, ended <-chan error) {
	to, end := make(chan Event, 100), make(chan error, 1)
	if w.Allow == nil {
		w.Allow = func(context.Context, string) error { return nil }
	}
	go func() { end <- w.Run(t.Context(), func(e Event) error { to <- e; return nil }) }()
	return to, end
}

func text(e Event) string {
	if e.Object == nil {
		return e.Type
	}
	return e.Type + " " + e.Object.Cluster + "/" + e.Object.Name
}

func TestAWatchSeesWhatItsSelectorSelects(t *testing.T) {
	s := NewSet(noDial)
	eu := cached(t, s, "eu", "10", pod(t, "eu", "a", "1", "x"))
	events, _ := following(t, &Watch{Set: s, Kind: pods, Selector: Selector{Labels: labels.SelectorFromSet(labels.Set{"app": "x"})}, Initial: true, Bookmarks: true})
	require.Equal(t, "ADDED eu/a", text(<-events))
	require.True(t, (<-events).Initial)
	eu.put(Added, pod(t, "eu", "b", "11", "y"))
	eu.put(Modified, pod(t, "eu", "b", "12", "x"))
	e := <-events
	require.Equal(t, "ADDED eu/b", text(e), "it begins to match")
	require.Equal(t, Versions{"eu": "12"}.String(), e.Version)
	eu.put(Modified, pod(t, "eu", "a", "13", "y"))
	require.Equal(t, "DELETED eu/a", text(<-events), "it matches no more")
	eu.put(Deleted, pod(t, "eu", "b", "14", "x"))
	require.Equal(t, "DELETED eu/b", text(<-events))
}

func TestAWatchContinuesBehindItsVersion(t *testing.T) {
	s := NewSet(noDial)
	eu, us := cached(t, s, "eu", "10"), cached(t, s, "us", "100")
	for i := range 5 {
		eu.put(Added, pod(t, "eu", fmt.Sprint("e", i), fmt.Sprint(11+i), "x"))
		us.put(Added, pod(t, "us", fmt.Sprint("u", i), fmt.Sprint(101+i), "x"))
	}
	events, _ := following(t, &Watch{Set: s, Kind: pods, From: Versions{"eu": "13", "us": "105"}})
	require.Equal(t, "ADDED eu/e3", text(<-events))
	require.Equal(t, "ADDED eu/e4", text(<-events))
	us.put(Added, pod(t, "us", "u5", "106", "x"))
	e := <-events
	require.Equal(t, "ADDED us/u5", text(e))
	require.Equal(t, Versions{"eu": "15", "us": "106"}.String(), e.Version)
}

func TestAListAgainIsSeenAsDifferences(t *testing.T) {
	s := NewSet(noDial)
	eu := cached(t, s, "eu", "10", pod(t, "eu", "a", "1", "x"), pod(t, "eu", "b", "2", "x"))
	events, _ := following(t, &Watch{Set: s, Kind: pods, From: Versions{"eu": "10"}})
	eu.put(Added, pod(t, "eu", "c", "11", "x"))
	require.Equal(t, "ADDED eu/c", text(<-events))
	b, d := pod(t, "eu", "b", "30", "x"), pod(t, "eu", "d", "20", "x")
	eu.replace(map[string]*Object{b.key(): b, d.key(): d}, "40")
	require.Equal(t, []string{"DELETED eu/a", "DELETED eu/c", "ADDED eu/d", "MODIFIED eu/b"}, []string{text(<-events), text(<-events), text(<-events), text(<-events)})
	require.Nil(t, eu.after("35"), "changes between the lists are unknown")
	require.NotNil(t, eu.after("40"))
}

func TestAClusterThatHasLeftEndsAContinuedWatch(t *testing.T) {
	s := NewSet(noDial)
	cached(t, s, "eu", "10")
	_, ended := following(t, &Watch{Set: s, Kind: pods, From: Versions{"eu": "10", "gone": "3"}})
	require.True(t, apierrors.IsResourceExpired(<-ended))
}

// roundTrip answers requests.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAnOldVersionIsReadFromTheCluster: the cache has just started, and a watch continues at a version before its list.
func TestAnOldVersionIsReadFromTheCluster(t *testing.T) {
	asked := make(chan string, 10)
	dial := func(context.Context, string) (http.RoundTripper, error) {
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			asked <- r.URL.Query().Get("resourceVersion")
			event := `{"type":"MODIFIED","object":{"metadata":{"name":"a","namespace":"shop","resourceVersion":"8"}}}`
			if r.URL.Query().Get("resourceVersion") != "5" {
				event = `{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}`
			}
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(event))}, nil
		}), nil
	}
	s := NewSet(dial)
	cached(t, s, "eu", "10")
	events, ended := following(t, &Watch{Set: s, Kind: pods, From: Versions{"eu": "5"}})
	require.Equal(t, "MODIFIED eu/a", text(<-events))
	require.Equal(t, "5", <-asked)
	select {
	case err := <-ended:
		require.True(t, apierrors.IsResourceExpired(err), "%v", err)
		require.Equal(t, "8", <-asked)
	case <-time.After(time.Minute):
		t.Fatal("the watch goes on without the changes that the cluster does not know")
	}
}

func TestAnUnknownRightLeavesTheOthersAlone(t *testing.T) {
	s := NewSet(noDial)
	cached(t, s, "eu", "10", pod(t, "eu", "a", "1", "x"))
	cached(t, s, "us", "10", pod(t, "us", "a", "1", "x"))
	events, _ := following(t, &Watch{Set: s, Kind: pods, Initial: true, Bookmarks: true, Allow: func(_ context.Context, cluster string) error {
		if cluster == "us" {
			return fmt.Errorf("us does not answer")
		}
		return nil
	}})
	require.Equal(t, "ADDED eu/a", text(<-events))
	e := <-events
	require.True(t, e.Initial)
	require.Equal(t, Versions{"eu": "10"}.String(), e.Version)
}

// TestAQuietClusterIsAsked: a connection that lost its network looks like one of a cluster without changes.
func TestAQuietClusterIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answers, asked atomic.Int64
		s := NewSet(func(context.Context, string) (http.RoundTripper, error) {
			return roundTrip(func(r *http.Request) (*http.Response, error) {
				asked.Add(1)
				if answers.Load() == 0 {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				return &http.Response{StatusCode: int(answers.Load()), Body: http.NoBody}, nil
			}), nil
		})
		eu := cached(t, s, "eu", "10", pod(t, "eu", "a", "1", "x"))
		eu.pulse.beat()
		settle := func() error {
			start := time.Now()
			missing, stale := Settle(t.Context(), []*Cache{eu}, nil)
			require.Empty(t, missing)
			require.LessOrEqual(t, time.Since(start), answerTime)
			return stale["eu"]
		}
		require.NoError(t, settle())
		require.Zero(t, asked.Load(), "it was heard just now")
		time.Sleep(quietTime)
		require.ErrorContains(t, settle(), "its objects are those of 2000-01-01T00:00:00Z: it gave no sign of life in 3s")
		require.Error(t, settle())
		require.EqualValues(t, 1, asked.Load(), "the next reader does not wait again")
		time.Sleep(silentTime)
		answers.Store(http.StatusBadGateway)
		require.ErrorContains(t, settle(), "Bad Gateway", "the way to the cluster answers, not the cluster")
		time.Sleep(silentTime)
		answers.Store(http.StatusForbidden)
		require.NoError(t, settle())
	})
}
