package reconciler

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
)

// maxHookBody bounds what a push hook reads; GitHub's payloads have at most 25 MB, of which a push needs little.
const maxHookBody = 25 << 20

// hookPattern is where pushes are taken.
const hookPattern = "POST /hook/{namespace}/{federation}"

// errNoHook says that a federation does not exist or accepts no pushes; both look the same from outside.
var errNoHook = errors.New("no such hook")

// pushHook answers POST /hook/<namespace>/<federation>: somebody pushed, look at the sources now.
// The body is signed with HMAC-SHA256 under the key "token" of the Federation's hookSecretRef, in the header
// X-Signature ("sha256=<hex>", any sender) or X-Hub-Signature-256 (GitHub).
type pushHook struct {
	// key of a federation, errNoHook when it accepts no pushes.
	key func(ctx context.Context, namespace, name string) ([]byte, error)
	// pushed asks for a look at the sources now.
	pushed func(ctx context.Context, namespace, name string) error
	log    *slog.Logger
}

func (h pushHook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	namespace, name := r.PathValue("namespace"), r.PathValue("federation")
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHookBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, "body too large", http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		http.Error(w, "cannot read the body", http.StatusBadRequest)
		return
	}
	key, err := h.key(r.Context(), namespace, name)
	if err != nil && !errors.Is(err, errNoHook) {
		h.log.Error("cannot read the secret of a push hook", "namespace", namespace, "federation", name, "error", err)
		http.Error(w, "try again later", http.StatusServiceUnavailable)
		return
	}
	if err != nil || !signed(r.Header, body, key) {
		http.Error(w, "the signature does not verify", http.StatusForbidden)
		return
	}
	if relevant(r.Header, body) {
		if err := h.pushed(r.Context(), namespace, name); err != nil {
			h.log.Error("cannot pass on a push", "namespace", namespace, "federation", name, "error", err)
			http.Error(w, "try again later", http.StatusServiceUnavailable)
			return
		}
	}
	w.WriteHeader(http.StatusAccepted)
}

// signed verifies the signature in constant time. An empty key signs nothing.
func signed(header http.Header, body, key []byte) bool {
	if len(key) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	want := mac.Sum(nil)
	for _, name := range []string{"X-Hub-Signature-256", "X-Signature"} {
		got, err := hex.DecodeString(strings.TrimPrefix(header.Get(name), "sha256="))
		if err == nil && hmac.Equal(got, want) {
			return true
		}
	}
	return false
}

// relevant sorts out GitHub events that move no ref: pings, and pushes that delete a branch.
// Everything else is worth a look, which ends after one request when nothing changed: also a push in a form, which is
// how GitHub sends it unless told otherwise.
func relevant(header http.Header, body []byte) bool {
	event := header.Get("X-GitHub-Event")
	if event == "" {
		return true
	}
	if event != "push" {
		return false
	}
	var push struct {
		Deleted bool `json:"deleted"`
	}
	return json.Unmarshal(body, &push) != nil || !push.Deleted
}
