package witness

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddress(t *testing.T) {
	var a Address
	require.Nil(t, New(a, nil))
	require.Empty(t, New(a, nil).Unreachable())
	for _, good := range []string{"https://witness.example/healthz", "http://10.0.0.1:8080", "cluster/eu-1"} {
		require.NoError(t, a.Set(good))
		require.Equal(t, good, a.String())
	}
	for _, bad := range []string{"", "eu-1", "cluster/", "cluster/a/b", "ftp://x", "https://", "https://user:secret@x"} {
		require.ErrorContains(t, a.Set(bad), "neither an http:// or https:// URL")
	}
}

func TestURL(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	var a Address
	require.NoError(t, a.Set(server.URL))
	w := New(a, nil)
	require.Equal(t, "the witness "+server.URL+" is unreachable: not probed yet", w.Unreachable())
	w.probe(t.Context())
	require.Empty(t, w.Unreachable(), "an error of the server is an answer")
	server.Close()
	w.probe(t.Context())
	require.Contains(t, w.Unreachable(), "connection refused")
}

func TestCluster(t *testing.T) {
	why := "no route to host"
	var a Address
	require.NoError(t, a.Set("cluster/eu-1"))
	w := New(a, func(name string) string { require.Equal(t, "eu-1", name); return why })
	require.Equal(t, "the witness cluster eu-1 is unreachable: no route to host", w.Unreachable())
	why = ""
	require.Empty(t, w.Unreachable())
	w.Run(t.Context()) // returns at once
}
