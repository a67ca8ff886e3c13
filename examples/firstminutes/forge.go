package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
)

// forge has the paths of GitHub that a comment and a status need, for the pull request 1 of ada/shop.
type forge struct {
	server *httptest.Server

	mu       sync.Mutex
	comments []string
}

func newForge() *forge {
	f := &forge{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v3/user", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"id": 1, "login": "ada"}) })
	mux.HandleFunc("GET /api/v3/repos/ada/shop/issues/1/comments", func(w http.ResponseWriter, _ *http.Request) { answer(w, []any{}) })
	mux.HandleFunc("POST /api/v3/repos/ada/shop/issues/1/comments", f.add)
	mux.HandleFunc("POST /api/v3/repos/ada/shop/statuses/", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"id": 1}) })
	f.server = httptest.NewServer(mux)
	return f
}

// add keeps a comment.
func (f *forge) add(w http.ResponseWriter, r *http.Request) {
	var posted struct{ Body string }
	if err := json.NewDecoder(r.Body).Decode(&posted); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	f.comments = append(f.comments, posted.Body)
	f.mu.Unlock()
	answer(w, map[string]any{"id": 1, "body": posted.Body, "html_url": f.url() + "/ada/shop/pull/1"})
}

// comment returns the only comment.
func (f *forge) comment() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.comments) != 1 {
		return "", errors.New("the pull request has no comment, or several")
	}
	return f.comments[0], nil
}

func (f *forge) url() string { return f.server.URL }

func (f *forge) close() { f.server.Close() }

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
}
