// Package webhook receives pushes from forges and requests a reconciliation of the Federation that follows the pushed
// reference.
package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
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
	// maxBody is the largest body that the webhook reads, in bytes. GitHub's payloads have at most 25 MB; a push needs
	// little of that.
	maxBody = 25 << 20
	// maxBodies is the largest sum of all bodies that are being read, in bytes, maxRequests the number of requests. Remote addresses
	// share both, see fairshare.Pool.
	maxBodies   = 64 << 20
	maxRequests = 256
	// refusalTime is the time from the end of a body to the answer that its signature does not verify. It hides whether a Secret was
	// read. A valid push does not wait.
	refusalTime = 50 * time.Millisecond
	// pattern is the path of the webhook.
	pattern = "POST /hook/{namespace}/{federation}"
	// repeatWindow is the time for which a repeated delivery is ignored, maxDeliveries the number of remembered deliveries.
	repeatWindow  = time.Hour
	maxDeliveries = 4096
)

// hook is the configuration of the webhook of one Federation.
type hook struct {
	// key reads the key; empty if there is none.
	key     func(ctx context.Context) []byte
	sources []v1alpha1.Source
}

// handler answers POST /hook/<namespace>/<federation> by a reconciliation of that Federation. It accepts the webhooks of
// GitHub, GitLab, Gitea and Forgejo with their signatures, and any body with its HMAC-SHA256 in the header X-Signature
// ("sha256=<hex>"). The key is the field "token" of the Federation's webhookSecretRef.
//
// To a sender without a valid signature, all Federations look alike, whether they exist or not: code, text and time of the answer are
// the same, and so is the number of bytes that it may send.
type handler struct {
	// hook returns the configuration of a Federation from a cache; false for one that does not exist or accepts no pushes.
	hook func(ctx context.Context, namespace, name string) (hook, bool)
	// pushed requests a reconciliation.
	pushed      func(ctx context.Context, namespace, name string) error
	room        *room
	refusalTime time.Duration
	// seen has the time of every delivery that was acted on. A forge repeats a delivery that was not answered in time.
	seen *lru.Cache
	log  *slog.Logger
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sender := h.room.sender(r)
	if !h.room.requests.Take(1, sender) {
		refuse(w, errNoRoom)
		return
	}
	defer h.room.requests.Return(1, sender)
	if r.ContentLength > maxBody {
		refuse(w, &http.MaxBytesError{Limit: maxBody})
		return
	}
	namespace, name := r.PathValue("namespace"), r.PathValue("federation")
	hook, known := h.hook(r.Context(), namespace, name)
	in := boundedReader{from: http.MaxBytesReader(w, r.Body, maxBody), room: h.room.bytes, sender: sender}
	defer in.release()
	body, err := read(&in, known)
	ended := time.Now()
	var event forge.Event
	if err == nil {
		event, err = hook.verify(r.Context(), r.Header, body, known)
	}
	if err != nil {
		if errors.Is(err, forge.ErrSignature) {
			waiting, cancel := context.WithDeadline(r.Context(), ended.Add(h.refusalTime))
			<-waiting.Done()
			cancel()
		}
		refuse(w, err)
	} else if h.act(r.Context(), namespace, name, hook, event) != nil {
		http.Error(w, "try again later", http.StatusServiceUnavailable)
	} else {
		w.WriteHeader(http.StatusAccepted)
	}
}

// read reads a body. It keeps none for a Federation without a webhook, and does the work of a verification.
func read(in io.Reader, known bool) ([]byte, error) {
	if !known {
		_, err := io.Copy(hmac.New(sha256.New, nil), in)
		return nil, err
	}
	return io.ReadAll(in)
}

// verify returns the event of a body with a valid signature.
func (h hook) verify(ctx context.Context, header http.Header, body []byte, known bool) (forge.Event, error) {
	if !known {
		return forge.Event{}, forge.ErrSignature
	}
	return forge.Read(header, body, h.key(ctx))
}

// refuse answers a request that is not acted on.
func refuse(w http.ResponseWriter, err error) {
	_, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, errNoRoom):
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many requests: try again later", http.StatusTooManyRequests)
	case large:
		http.Error(w, "body too large", http.StatusRequestEntityTooLarge)
	case errors.Is(err, forge.ErrSignature):
		http.Error(w, "the signature does not verify", http.StatusForbidden)
	default:
		http.Error(w, "cannot read the body", http.StatusBadRequest)
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
