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
	// changePause lets a burst of changes be one piece of news.
	changePause = 100 * time.Millisecond
	// watchPause is between a watch that ended and the next.
	watchPause = time.Second
)

// Changes is sent something whenever anything about the federation may have changed, and at the (re)start of a
// watch. The returned function ends the watches and waits for their end.
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

// follow watches one kind until the context ends. A watch that breaks is started again, and that is news too:
// the reader then reads everything and sees by itself if the hub is gone.
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

// notify does not wait: one piece of unread news is enough.
func notify(news chan<- struct{}) {
	select {
	case news <- struct{}{}:
	default:
	}
}

// pause waits that long, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Transient tells whether err is of the kind that ends by itself: the hub restarts, or is busy.
func Transient(err error) bool {
	_, network := errors.AsType[*url.Error](err)
	return network || errors.Is(err, context.DeadlineExceeded) || apierrors.IsServiceUnavailable(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsInternalError(err)
}

// WaitForChange until there is news, but not longer than again.
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
