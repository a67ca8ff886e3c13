package hub

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

const (
	// changePause joins a burst of changes to one notification.
	changePause = 100 * time.Millisecond
	// watchPause is the time between the end of a watch and the next attempt.
	watchPause = time.Second
)

// Changes returns a channel that receives a value when an object of the federation may have changed, and when a watch starts
// again. The returned function stops the watches and waits for them.
func (h *Hub) Changes(ctx context.Context, fed *v1alpha1.Federation, deliveries bool) (news <-chan struct{}, end func()) {
	ctx, cancel := context.WithCancel(ctx)
	tidings := make(chan struct{}, 1)
	var following sync.WaitGroup
	follow := func(list func() client.ObjectList, o ...client.ListOption) {
		following.Go(func() { h.follow(ctx, tidings, list, o...) })
	}
	follow(func() client.ObjectList { return &v1alpha1.ReleaseList{} }, ListOptions(fed)...)
	follow(func() client.ObjectList { return &v1alpha1.FederationList{} },
		client.InNamespace(fed.Namespace), client.MatchingFields{"metadata.name": fed.Name})
	if deliveries {
		follow(func() client.ObjectList { return &v1alpha1.DeliveryList{} }, ListOptions(fed)...)
	}
	return tidings, func() { cancel(); following.Wait() }
}

// follow watches one kind until the context ends. It restarts a watch that breaks and notifies, so that the reader reads again
// and sees whether the hub is unreachable.
func (h *Hub) follow(ctx context.Context, news chan<- struct{}, list func() client.ObjectList, o ...client.ListOption) {
	for ctx.Err() == nil {
		w, err := h.Watch(ctx, list(), o...)
		notify(news)
		if err == nil {
			for range w.ResultChan() {
				notify(news)
				pause(ctx, changePause)
			}
			w.Stop()
		}
		pause(ctx, watchPause)
	}
}

// notify does not block: one unread notification is enough.
func notify(news chan<- struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}

// pause waits for d or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Transient reports whether err can go away without a change, for example because the hub restarts or is overloaded.
func Transient(err error) bool {
	_, network := errors.AsType[*url.Error](err)
	return network || errors.Is(err, context.DeadlineExceeded) || apierrors.IsServiceUnavailable(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsInternalError(err)
}

// WaitForChange waits for a change, but at most until the given time.
func WaitForChange(ctx context.Context, news <-chan struct{}, again time.Time) error {
	t := time.NewTimer(time.Until(again))
	defer t.Stop()
	select {
	case <-news:
		return nil
	case <-t.C:
		return nil
	case <-ctx.Done():
		return errors.New("interrupted")
	}
}
