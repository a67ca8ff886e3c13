package agent

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// served returns an agent that has a directory, and whose hub answers with the index of a sequence.
func served(t *testing.T, dir string, sequence uint64) *Agent {
	t.Helper()
	hub := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(to).Encode(bundle.Index{Cluster: "eu", Epoch: "uid", Sequence: sequence}) // the client notices an error
	}))
	t.Cleanup(hub.Close)
	cfg := &rest.Config{Host: hub.URL}
	a, err := New(Options{Cluster: "eu", Hub: cfg, Local: cfg, CacheDir: dir, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return a
}

// An agent that starts again refuses an index that is older than that of the process before.
func TestAReplayedIndexAfterARestart(t *testing.T) {
	dir := t.TempDir()
	before := served(t, dir, 7)
	_, err := before.next(t.Context(), "", before.load())
	require.NoError(t, err)

	replayed := served(t, dir, 6)
	_, err = replayed.next(t.Context(), "", replayed.load())
	require.ErrorContains(t, err, "it is an older one")

	same := served(t, dir, 7)
	_, err = same.next(t.Context(), "", same.load())
	require.NoError(t, err)
}

// A hub that starts again does not know a Federation yet: its part stays, also on disk.
func TestAnUnknownPartIsKept(t *testing.T) {
	known := bundle.Part{Namespace: "shop", Name: "web", UID: "1"}
	e := &executor{parts: &parts{}}
	e.parts.set(types.NamespacedName{Namespace: "shop", Name: "web"}, &known)
	got := e.complete(&bundle.Index{Sequence: 8, Parts: []bundle.Part{
		{Namespace: "shop", Name: "api", Unknown: true}, {Namespace: "shop", Name: "web", Unknown: true},
	}})
	require.Equal(t, &bundle.Index{Sequence: 8, Parts: []bundle.Part{{Namespace: "shop", Name: "api", Unknown: true}, known}}, got)
}

// Only a quiet agent repeats what is due with each answer of the hub.
func TestResyncs(t *testing.T) {
	e, start := &executor{registry: state.NewRegistry(reachability.NewTracker())}, time.Unix(1000, 0)
	resyncs := func(after time.Duration, quiet bool) bool {
		e.resync(start.Add(after), quiet)
		return e.resynced.Equal(start.Add(after))
	}
	require.True(t, resyncs(0, true))
	require.True(t, resyncs(time.Second, true))
	require.False(t, resyncs(2*time.Second, false))
	require.True(t, resyncs(time.Second+pollTime, false))
}
