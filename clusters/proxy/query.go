package proxy

import (
	"context"
	"net/http"
)

// whole is the key of the query of a request, as the caller wrote it.
type whole struct{}

// HideDryRun hides the parameter dryRun of the requests for which passesOn is true, until Behind reads their URL. k8s.io/apiserver refuses it
// for every request that it only passes on; the server behind decides what to do with it.
func HideDryRun(next http.Handler, passesOn func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if query := r.URL.Query(); query.Has("dryRun") && passesOn(r) {
			r = r.WithContext(context.WithValue(r.Context(), whole{}, r.URL.RawQuery))
			query.Del("dryRun")
			hidden := *r.URL
			hidden.RawQuery = query.Encode()
			r.URL = &hidden
		}
		next.ServeHTTP(w, r)
	})
}

// queryOf returns the query of a request, as the caller wrote it.
func queryOf(r *http.Request) string {
	if query, hidden := r.Context().Value(whole{}).(string); hidden {
		return query
	}
	return r.URL.RawQuery
}
