package egress

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func get(t *testing.T, transport Transport, ctx context.Context, url string) (string, int, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	transport.Next = http.DefaultTransport
	answer, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return "", 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), answer.StatusCode, err
}

func serve(t *testing.T, f http.HandlerFunc) string {
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

func TestHostileAnswers(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/exact", "/length":
			_, _ = io.WriteString(w, strings.Repeat("x", 100))
		case "/chunks":
			w.(http.Flusher).Flush() // no Content-Length
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
		case "/refusal":
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = gzip.NewWriter(w).Write([]byte("x"))
		case "/asked":
			_, _ = io.WriteString(w, r.Header.Get("Accept-Encoding"))
		case "/moved":
			http.Redirect(w, r, "/exact", http.StatusFound)
		}
	})
	for name, c := range map[string]struct {
		path     string
		bound    Transport
		limit    int64
		bytes    int
		err      error
		sentence string
	}{
		"an answer of exactly the limit is read":      {path: "/exact", bound: Transport{Limit: 100}, bytes: 100},
		"a longer one is refused by its length":       {path: "/length", bound: Transport{Limit: 99}, err: ErrTooLarge},
		"or when the limit is reached":                {path: "/chunks", bound: Transport{Limit: 64 << 10}, bytes: 64 << 10, err: ErrTooLarge, sentence: "GET /chunks has more than 64 KiB"},
		"the limit of a request goes first":           {path: "/length", limit: 50, err: ErrTooLarge},
		"a request may have no limit":                 {path: "/chunks", bound: Transport{Limit: 10}, limit: Unbounded, bytes: 1 << 20},
		"the rest of a long refusal is dropped":       {path: "/refusal", bytes: int(Refusal)},
		"compression is refused":                      {path: "/gzip", err: ErrEncoding, sentence: `Content-Encoding "gzip"`},
		"no compression is asked for":                 {path: "/asked", bytes: len("identity")},
		"a redirect is refused":                       {path: "/moved", err: ErrRedirect, sentence: "GET /moved is answered with code 302"},
		"a redirect is followed where it is allowed":  {path: "/moved", bound: Transport{Redirects: true}, bytes: 100},
		"an answer with no limit of its own has that": {path: "/exact", bytes: 100},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if c.limit != 0 {
				ctx = WithLimit(ctx, c.limit)
			}
			text, _, err := get(t, c.bound, ctx, url+c.path)
			require.Len(t, text, c.bytes)
			if c.err == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, c.err)
			require.ErrorContains(t, err, c.sentence)
		})
	}
}

func TestMessages(t *testing.T) {
	m := &Messages{From: strings.NewReader("aaaabbbbcccccc"), Limit: 4}
	word := make([]byte, 8)
	for _, want := range []string{"aaaa", "bbbb", "cccc"} {
		m.Next()
		n, err := m.Read(word)
		require.NoError(t, err)
		require.Equal(t, want, string(word[:n]))
	}
	_, err := m.Read(word)
	require.ErrorIs(t, err, ErrTooLarge)
}
