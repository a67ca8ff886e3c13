package webhook

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"k8s.io/utils/lru"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/source/forge"
)

const (
	// maxHookBody bounds what a push hook reads; GitHub's payloads have at most 25 MB, of which a push needs little.
	maxHookBody = 25 << 20
	// hookPattern is where pushes are taken.
	hookPattern = "POST /hook/{namespace}/{federation}"
	// sameDelivery is how long the same delivery is not acted on again, and maxDeliveries how many are remembered.
	sameDelivery  = time.Hour
	maxDeliveries = 4096
)

// errNoHook says that a federation does not exist or accepts no pushes; both look the same from outside.
var errNoHook = errors.New("no such hook")

// hook is what is known of the push hook of one federation.
type hook struct {
	key     []byte
	sources []v1alpha1.Source
}

// Handler answers POST /hook/<namespace>/<federation>: somebody pushed or merged, look at the sources now. It takes the
// webhooks of GitHub, GitLab, Gitea and Forgejo, signed in the way of each, and any body of anybody with an HMAC-SHA256 of
// it in the header X-Signature ("sha256=<hex>"). The key is "token" of the Federation's webhookSecretRef.
type Handler struct {
	// hook of a federation, errNoHook when it accepts no pushes.
	hook func(ctx context.Context, namespace, name string) (hook, error)
	// pushed asks for a look at the sources now.
	pushed func(ctx context.Context, namespace, name string) error
	// room for the bodies that are being read: anybody can send one, and who signed it is known at its end.
	room *room
	// seen has the time of every delivery that was acted on; a forge sends one again when it had no answer in time.
	seen *lru.Cache
	log  *slog.Logger
}

func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	namespace, name := r.PathValue("namespace"), r.PathValue("federation")
	taken := taking{from: http.MaxBytesReader(w, r.Body, maxHookBody), room: h.room}
	defer taken.leave()
	body, err := io.ReadAll(&taken)
	if errors.Is(err, errNoRoom) {
		http.Error(w, "try again later", http.StatusServiceUnavailable)
		return
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, "body too large", http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		http.Error(w, "cannot read the body", http.StatusBadRequest)
		return
	}
	hook, err := h.hook(r.Context(), namespace, name)
	if err != nil && !errors.Is(err, errNoHook) {
		h.log.Error("cannot read the secret of a push hook", "namespace", namespace, "federation", name, "error", err)
		http.Error(w, "try again later", http.StatusServiceUnavailable)
		return
	}
	event, err := forge.Read(r.Header, body, hook.key) // without a key nothing is signed
	switch {
	case errors.Is(err, forge.ErrSignature):
		http.Error(w, "the signature does not verify", http.StatusForbidden)
	case err != nil:
		http.Error(w, "cannot read the body", http.StatusBadRequest)
	case h.act(r.Context(), namespace, name, hook, event) != nil:
		http.Error(w, "try again later", http.StatusServiceUnavailable)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// act has the sources looked at if what happened can have changed one, and did not happen before.
func (h Handler) act(ctx context.Context, namespace, name string, hook hook, event forge.Event) error {
	delivery := strings.Join([]string{namespace, name, string(event.Provider), event.Delivery}, "/")
	if at, seen := h.seen.Get(delivery); event.Delivery != "" && seen && time.Since(at.(time.Time)) < sameDelivery {
		return nil
	}
	if hook.concerns(event) {
		if err := h.pushed(ctx, namespace, name); err != nil {
			h.log.Error("cannot pass on a push", "namespace", namespace, "federation", name, "error", err)
			return err
		}
	}
	if event.Delivery != "" {
		h.seen.Add(delivery, time.Now())
	}
	return nil
}

// concerns says whether an event can have changed what a source follows: a push, or a pull request that was merged. What
// cannot be told is worth a look, which ends after one request when nothing changed.
func (h hook) concerns(event forge.Event) bool {
	switch {
	case event.Kind == forge.Pull && (!event.Merged || event.Action != "closed" && event.Action != "merge"):
		return false
	case event.Kind != forge.Push && event.Kind != forge.Pull:
		return false
	case event.Kind == forge.Push && event.After == "" && strings.HasPrefix(event.Ref, branches):
		return false // the branch was deleted: nothing new can be read
	}
	for _, s := range h.sources {
		if follows(s.Ref, event.Ref) {
			return true
		}
	}
	return false
}

// Where Git keeps branches and tags.
const (
	branches = "refs/heads/"
	tags     = "refs/tags/"
)

// follows says whether a source with ref can be moved by a push to pushed, "refs/heads/main". Which branch is the default
// one is not known, nor where a commit comes to light.
func follows(ref *v1alpha1.Ref, pushed string) bool {
	switch {
	case pushed == "" || ref == nil || ref.Commit != "":
		return true
	case ref.SemVer != "":
		return strings.HasPrefix(pushed, tags)
	case ref.Tag != "":
		return pushed == tags+ref.Tag
	case ref.Branch != "":
		return pushed == branches+ref.Branch
	}
	return true
}
