package agent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/propagate/bundle"
)

// hubThat returns a fetcher of a hub that answers requests for objects so.
func hubThat(t *testing.T, answer http.HandlerFunc) *fetcher {
	t.Helper()
	hub := httptest.NewServer(answer)
	t.Cleanup(hub.Close)
	f, err := newFetcher(&rest.Config{Host: hub.URL}, "eu", 40*time.Second)
	require.NoError(t, err)
	return f
}

func TestContentsAreCompared(t *testing.T) {
	good, other := []byte(`{"kind":"ConfigMap"}`), []byte(`{"kind":"Secret"}`)
	line := func(w http.ResponseWriter, digest string, body []byte) {
		fmt.Fprintf(w, `{"digest":%q,"body":%s}`+"\n", digest, body)
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"as named":    {func(w http.ResponseWriter, _ *http.Request) { line(w, delivery.Digest(good), good) }, ""},
		"tampered":    {func(w http.ResponseWriter, _ *http.Request) { line(w, delivery.Digest(good), other) }, "and the index names"},
		"another one": {func(w http.ResponseWriter, _ *http.Request) { line(w, delivery.Digest(other), other) }, "was not asked for"},
		"none":        {func(http.ResponseWriter, *http.Request) {}, "EOF"},
		"refused": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_ = json.NewEncoder(w).Encode(map[string]any{"message": "you may not"})
		}, "you may not"},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := hubThat(t, c.answer).contents(t.Context(), []string{delivery.Digest(good)})
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, bundle.Contents{delivery.Digest(good): good}, all)
		})
	}
}

func TestAnIndexThatTheAgentHasIsNotSent(t *testing.T) {
	f := hubThat(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/apis/delivery.accord.dev/v1alpha1/bundles/eu/index", r.URL.Path)
		if r.Header.Get("If-None-Match") == `"7"` {
			require.Equal(t, url.Values{"lease": {"40s"}, "wait": {"1s"}, "objects": {"new"}}, r.URL.Query())
			w.WriteHeader(http.StatusNotModified)
			return
		}
		require.Equal(t, url.Values{"lease": {"40s"}}, r.URL.Query())
		w.Header().Set("ETag", `"7"`)
		w.Header().Set("Cluster-Version", "12")
		w.Header().Set("Report-Within", "1ns")
		_ = json.NewEncoder(w).Encode(bundle.Index{Cluster: "eu", Epoch: "uid", Sequence: 7})
	})
	var cluster uint64
	f.onCluster = func(version uint64) { cluster = version }
	index, _, etag, err := f.index(t.Context(), "", time.Second)
	require.NoError(t, err)
	require.EqualValues(t, 12, cluster)
	require.EqualValues(t, 7, index.Sequence)
	require.Equal(t, reportGather, f.report.gather())
	index, _, etag, err = f.index(t.Context(), etag, time.Second)
	require.NoError(t, err)
	require.Nil(t, index)
	require.Equal(t, `"7"`, etag)
}

// The reports of many agents are spread over the time that the hub tells, and no agent waits longer than a minute.
func TestReportsAreSpread(t *testing.T) {
	var p pace
	require.Equal(t, reportGather, p.gather())
	var early, late bool
	for range 200 {
		p.spread("4s")
		d := p.gather() - reportGather
		require.GreaterOrEqual(t, d, time.Second, "other agents do not have the bundle yet")
		require.Less(t, d, 4*time.Second)
		early, late = early || d < 2*time.Second, late || d >= 3*time.Second
	}
	require.True(t, early && late)
	for range 200 {
		p.spread("1000h")
		require.Less(t, p.gather()-reportGather, maxSpread)
	}
	for _, text := range []string{"", "-1s", "soon"} {
		p.spread(text)
		require.Equal(t, reportGather, p.gather())
	}
}

// The hub may send new objects behind the index. The agent compares them, too.
func TestNewObjectsComeWithTheIndex(t *testing.T) {
	object := []byte(`{"kind":"ConfigMap"}`)
	sent := object
	f := hubThat(t, func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(bundle.Index{Cluster: "eu", Epoch: "uid", Sequence: 8})
		fmt.Fprintf(w, `{"digest":%q,"body":%s}`+"\n", delivery.Digest(object), sent)
	})
	index, added, _, err := f.index(t.Context(), `"7"`, time.Second)
	require.NoError(t, err)
	require.EqualValues(t, 8, index.Sequence)
	require.Equal(t, bundle.Contents{delivery.Digest(object): object}, added)

	sent = []byte(`{"kind":"Secret"}`)
	_, _, _, err = f.index(t.Context(), `"7"`, time.Second)
	require.ErrorContains(t, err, "and the index names")
}

// After a restart of the hub, the agents of a small fleet return soon, and those of a large one within the time that the hub needs for all.
func TestPatienceGrowsWithTheFleet(t *testing.T) {
	var p pace
	require.Equal(t, 20*time.Second, p.patience(20*time.Second), "the agent does not know the fleet yet")
	for within, want := range map[string]time.Duration{"8ms": 4 * time.Second, "8s": 8 * time.Second, "30s": 20 * time.Second, "": 20 * time.Second} {
		p.spread(within)
		require.Equal(t, want, p.patience(20*time.Second), within)
	}
	p.spread("8ms")
	require.Equal(t, 2*time.Second, p.patience(2*time.Second), "the lease of the agent is short")
}
