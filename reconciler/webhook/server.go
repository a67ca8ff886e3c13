package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
)

// Options of the webhook.
type Options struct {
	// Address to listen on; empty: the webhook is off.
	Address string
	// Proxies are the networks whose X-Forwarded-For names the sender of a request.
	Proxies egress.Networks
}

// Register adds the flags.
func (o *Options) Register(f *pflag.FlagSet) {
	f.StringVar(&o.Address, "webhook-bind-address", "", "address of the webhook, host:port, POST /hook/<namespace>/<federation> (default off)")
	f.Var(&o.Proxies, "webhook-proxies", "networks of the proxies in front of the webhook, whose X-Forwarded-For names the sender, such as 10.0.0.0/8 (repeatable; default none)")
}

// Server receives pushes on every replica. A replica that does not lead passes a push to the leader by an annotation.
type Server struct {
	Options
	Manager manager.Manager
	// Events receives the Federations to reconcile on the leader.
	Events chan<- event.GenericEvent
}

// NeedLeaderElection returns false: a Service sends pushes to any replica.
func (*Server) NeedLeaderElection() bool { return false }

// Start serves until ctx ends.
func (h *Server) Start(ctx context.Context) error {
	if h.Address == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", h.Address)
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	log := slog.New(logr.ToSlogHandler(h.Manager.GetLogger()))
	known := newKeys(h.Manager.GetAPIReader(), log)
	mux := http.NewServeMux()
	mux.Handle(pattern, handler{
		hook: func(ctx context.Context, namespace, name string) (hook, bool) {
			return h.hook(ctx, known, namespace, name)
		}, pushed: h.pushed,
		room: newRoom(maxRequests, maxBodies, h.Proxies), refusalTime: refusalTime, seen: lru.New(maxDeliveries), log: log,
	})
	srv := &http.Server{Handler: mux, ReadTimeout: 30 * time.Second, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() }) // the senders repeat unanswered pushes
	defer stop()
	if err := srv.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("webhook: %w", err)
	}
	return nil
}

// hook returns the configuration of a Federation's webhook; false without one.
func (h *Server) hook(ctx context.Context, known *keys, namespace, name string) (hook, bool) {
	fed := &v1alpha1.Federation{}
	err := h.Manager.GetClient().Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, fed) // from the cache
	if err != nil || fed.Spec.WebhookSecretRef == nil {
		return hook{}, false
	}
	return hook{key: func(ctx context.Context) []byte { return known.of(ctx, fed) }, sources: fed.Spec.Sources}, true
}

// pushed requests a reconciliation of the Federation, here or by the leader.
func (h *Server) pushed(ctx context.Context, namespace, name string) error {
	fed := &v1alpha1.Federation{}
	fed.Namespace, fed.Name = namespace, name
	select {
	case <-h.Manager.Elected():
		select {
		case h.Events <- event.GenericEvent{Object: fed}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	default:
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.RequestedAtAnnotation, time.Now().Format(time.RFC3339Nano))
		return h.Manager.GetClient().Patch(ctx, fed, client.RawPatch(types.MergePatchType, []byte(patch)))
	}
}
