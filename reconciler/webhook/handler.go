// Package webhook receives pushes from forges and requests a reconciliation of the Federation that follows the pushed
// reference.
package webhook

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/utils/lru"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/source/forge"
)

const (
	// maxBody is the largest body that the webhook reads, in bytes. GitHub's payloads have at most 25 MB; a push needs
	// little of that.
	maxBody = 25 << 20
	// maxBodies is the largest sum of all bodies that are being read, in bytes.
	maxBodies = 64 << 20
	// pattern is the path of the webhook.
	pattern = "POST /hook/{namespace}/{federation}"
	// repeatWindow is the time for which a repeated delivery is ignored, maxDeliveries the number of remembered deliveries.
	repeatWindow  = time.Hour
	maxDeliveries = 4096
)

// errNoHook means that the Federation does not exist or accepts no pushes. The answer does not distinguish the two.
var errNoHook = errors.New("no such hook")

// hook is the configuration of the webhook of one Federation.
type hook struct {
	key     []byte
	sources []v1alpha1.Source
}

// handler answers POST /hook/<namespace>/<federation> by a reconciliation of that Federation. It accepts the webhooks of
// GitHub, GitLab, Gitea and Forgejo with their signatures, and any body with its HMAC-SHA256 in the header X-Signature
// ("sha256=<hex>"). The key is the field "token" of the Federation's webhookSecretRef.
type handler struct {
	// hook returns the configuration of a Federation, or errNoHook.
	hook func(ctx context.Context, namespace, name string) (hook, error)
	// pushed requests a reconciliation.
	pushed func(ctx context.Context, namespace, name string) error
	// memory bounds the bodies that are being read: anyone can send one, and the signature is only checked at its end.
	memory *semaphore.Weighted
	// seen has the time of every delivery that was acted on. A forge repeats a delivery that was not answered in time.
	seen *lru.Cache
	log  *slog.Logger
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	namespace, name := r.PathValue("namespace"), r.PathValue("federation")
	in := boundedReader{from: http.MaxBytesReader(w, r.Body, maxBody), memory: h.memory}
	defer in.release()
	body, err := io.ReadAll(&in)
	if errors.Is(err, errNoMemory) {
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
		h.log.Error("cannot read the secret of a webhook", "namespace", namespace, "federation", name, "error", err)
		http.Error(w, "try again later", http.StatusServiceUnavailable)
		return
	}
	event, err := forge.Read(r.Header, body, hook.key) // without a key no signature verifies
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

// act requests a reconciliation, unless the event changes no source or was acted on already.
func (h handler) act(ctx context.Context, namespace, name string, hook hook, event forge.Event) error {
	delivery := strings.Join([]string{namespace, name, string(event.Provider), event.Delivery}, "/")
	if at, seen := h.seen.Get(delivery); event.Delivery != "" && seen && time.Since(at.(time.Time)) < repeatWindow {
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

// concerns reports whether an event may change a followed reference: a push, or a merged pull request. It reports true
// where the event does not show that; a reconciliation without a change costs one request.
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

// The prefixes of branches and tags in Git.
const (
	branches = "refs/heads/"
	tags     = "refs/tags/"
)

// follows reports whether a push to pushed ("refs/heads/main") can move a source with ref. The default branch, and the
// branch of a single commit, are not known: any push can move those.
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
