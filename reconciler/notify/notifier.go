package notify

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/util/flowcontrol"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/reconciler/networks"
	"github.com/accord-dev/accord/reconciler/sentrecord"
)

const (
	// Workers bounds the requests at once: a receiver that hangs occupies a worker for ten seconds.
	Workers = 4
	// notificationFailed is the reason of the event about a receiver that does not accept a request.
	notificationFailed = "NotificationFailed"
	// firstPause and lastPause bound the back-off after an error.
	firstPause = 5 * time.Second
	lastPause  = 10 * time.Minute
	// burst requests of a notification are sent at once, and then one in each pace.
	burst = 10
	pace  = 30 * time.Second
)

// record has the last event that was sent to each receiver.
var record = sentrecord.Annotation{Key: v1alpha1.NotifiedAnnotation, Sender: "accord-notification"}

// Options of a Notifier.
type Options struct {
	// Secrets reads Secrets without a cache.
	Secrets client.Reader
	// Networks are the private networks in which receivers may be, beside those of the Tenant.
	Networks egress.Networks
	Event    func(about client.Object, kind, reason, message string)
	Log      *slog.Logger
}

// Notifier sends the notifications of Releases. It only reads Releases: a failed request does not affect deliveries.
type Notifier struct {
	client.Client
	Options
	pauses *flowcontrol.Backoff

	mu       sync.Mutex
	limiters *cache.Expiring // by receiver
}

// New returns a Notifier.
func New(c client.Client, o Options) *Notifier {
	return &Notifier{Client: c, Options: o, pauses: flowcontrol.NewBackOff(firstPause, lastPause), limiters: cache.NewExpiring()}
}

// Add adds a Notifier to the manager.
func Add(mgr ctrl.Manager, workers controller.Options, o Options) error {
	return ctrl.NewControllerManagedBy(mgr).Named("notification").For(&v1alpha1.Release{}).
		WithOptions(workers).Complete(New(mgr.GetClient(), o))
}

// Reconcile sends the notifications about a Release whose event changed.
func (n *Notifier) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	release := &v1alpha1.Release{}
	if err := n.Get(ctx, req.NamespacedName, release); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	event := eventOf(release)
	if event == "" {
		return ctrl.Result{}, nil
	}
	fed := &v1alpha1.Federation{}
	if err := n.Get(ctx, types.NamespacedName{Namespace: req.Namespace, Name: release.Spec.Federation}, fed); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := record.Of(release)
	now := maps.Clone(before)
	var again time.Duration
	for _, one := range fed.Spec.Notifications {
		if !wants(one, event) || before[one.Name] == string(event) || event == v1alpha1.ReleaseStarted && before[one.Name] != "" {
			continue // a cluster that fails later starts nothing again
		}
		wait := n.notify(ctx, fed, release, one, event)
		if wait == 0 {
			now[one.Name] = string(event)
		} else if again == 0 || wait < again {
			again = wait
		}
	}
	if maps.Equal(before, now) {
		return ctrl.Result{RequeueAfter: again}, nil
	}
	return ctrl.Result{RequeueAfter: again}, record.Write(ctx, n.Client, release, now)
}

// notify sends one request. It returns the time after which to try again, 0 after a success.
func (n *Notifier) notify(ctx context.Context, fed *v1alpha1.Federation, r *v1alpha1.Release, one v1alpha1.Notification, e v1alpha1.ReleaseEvent) time.Duration {
	id := fed.Namespace + "/" + fed.Name + "/" + one.Name
	if wait := n.wait(id); wait > 0 {
		return wait
	}
	if err := n.send(ctx, fed, r, one, e); err != nil {
		n.pauses.GC() // the receivers of a deleted Federation
		n.pauses.Next(id, time.Now())
		n.Log.Warn("cannot send a notification, trying again", "federation", fed.Namespace+"/"+fed.Name, "notification", one.Name, "release", r.Name, "error", err)
		n.Event(fed, corev1.EventTypeWarning, notificationFailed, fmt.Sprintf("notification %q: %s; accord retries, and deliveries continue", one.Name, err))
		return n.pauses.Get(id)
	}
	n.pauses.Reset(id)
	return 0
}

// wait returns the time until a request may be sent to a receiver, 0 for now.
func (n *Notifier) wait(id string) time.Duration {
	if now := time.Now(); n.pauses.IsInBackOffSinceUpdate(id, now) {
		return n.pauses.Get(id)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	known, _ := n.limiters.Get(id)
	limiter, ok := known.(flowcontrol.PassiveRateLimiter)
	if !ok {
		limiter = flowcontrol.NewTokenBucketPassiveRateLimiter(float32(1/pace.Seconds()), burst)
	}
	n.limiters.Set(id, limiter, burst*pace) // then it is as a new one
	if !limiter.TryAccept() {
		return pace
	}
	return 0
}

// send reads the receiver and sends one request.
func (n *Notifier) send(ctx context.Context, fed *v1alpha1.Federation, r *v1alpha1.Release, one v1alpha1.Notification, e v1alpha1.ReleaseEvent) error {
	secret := &corev1.Secret{}
	if err := n.Secrets.Get(ctx, types.NamespacedName{Namespace: fed.Namespace, Name: one.SecretRef.Name}, secret); err != nil {
		return fmt.Errorf("reading the receiver: %w", err)
	}
	body, err := bodyOf(one, r, e, time.Now())
	if err != nil {
		return fmt.Errorf("writing the message: %w", err)
	}
	allowed, err := networks.Of(ctx, n, fed, n.Networks)
	if err != nil {
		return err
	}
	to := receiver{address: trimmed(secret.Data["url"]), key: []byte(trimmed(secret.Data["key"])), ca: secret.Data["ca.crt"]}
	return to.post(ctx, allowed, body)
}
