package memberserver

import (
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// aggregated is the media type of discovery in one answer, in Accept and in Content-Type.
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// other answers requests that are not about objects.
func (s *Server) other(w http.ResponseWriter, r *http.Request) {
	catalog := &s.host.catalog
	first, _, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	if first == "version" || first == "api" || first == "apis" {
		s.host.counts.others.WithLabelValues("/" + first).Inc()
	}
	inOne := strings.Contains(r.Header.Get("Accept"), aggregated)
	switch path := strings.TrimSuffix(r.URL.Path, "/"); {
	case r.Method != http.MethodGet:
		http.Error(w, "404 page not found", http.StatusNotFound)
	case path == "/metrics":
		s.host.metrics.ServeHTTP(w, r)
	case path == "/version":
		send(w, http.StatusOK, versionAnswer)
	case path == "/healthz", path == "/livez", path == "/readyz":
		_, _ = w.Write([]byte("ok"))
	case path == "/api" && inOne:
		sendTagged(w, r, &catalog.core)
	case path == "/apis" && inOne:
		sendTagged(w, r, &catalog.groups)
	case path == "/api":
		sendAs(w, "application/json", &metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
			ServerAddressByClientCIDRs: []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: s.address}},
		})
	case path == "/apis":
		sendAs(w, "application/json", catalog.groupList())
	default:
		list := catalog.list(groupVersion(path))
		if list == nil {
			http.Error(w, "404 page not found", http.StatusNotFound)
			return
		}
		sendAs(w, "application/json", list)
	}
}

// groupVersion of "/api/v1" and "/apis/apps/v1".
func groupVersion(path string) schema.GroupVersion {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) == 3 && parts[1] == "api":
		return schema.GroupVersion{Version: parts[2]}
	case len(parts) == 4 && parts[1] == "apis":
		return schema.GroupVersion{Group: parts[2], Version: parts[3]}
	}
	return schema.GroupVersion{}
}

// sendTagged sends aggregated discovery, or 304 Not Modified if the client has this version, as real API servers do.
func sendTagged(w http.ResponseWriter, r *http.Request, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		refuse(w, err)
		return
	}
	tag := fmt.Sprintf(`"%X"`, sha512.Sum512(text))
	w.Header().Set("Etag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", aggregated)
	_, _ = w.Write(text) // an error means that the client is gone
}

// sendAs sends a value that always can be encoded.
func sendAs(w http.ResponseWriter, contentType string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(text) // an error means that the client is gone
}
