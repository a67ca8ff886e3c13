package reconciler_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// observer sees every version of every ConfigMap of the members, by connections of its own, and says what is wrong with it.
type observer struct {
	t       *testing.T
	commits *commits
	stored  chan struct{} // has one for every version that a member stored, as far as somebody takes them

	mu    sync.Mutex // guards all below
	seen  map[place]*history
	wrong []string
	// tampered has the last deletion by hand of each object.
	tampered map[place]tampering
}

// place is one object on one cluster.
type place struct {
	cluster string
	id      manifest.ID
}

// history is what was seen of one object on one cluster.
type history struct {
	digests map[string]bool
	newest  int // the first commit that wants what was there last
}

func observe(t *testing.T, w *world, c *commits) *observer {
	t.Helper()
	o := &observer{t: t, commits: c, stored: make(chan struct{}, 1), seen: map[place]*history{}, tampered: map[place]tampering{}}
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	for cluster := range w.members {
		k, err := kubernetes.NewForConfig(w.planes[cluster].Config())
		require.NoError(t, err)
		events := watchAll(ctx, t, k)
		watching.Go(func() {
			for e := range events.ResultChan() {
				o.event(cluster, e)
			}
		})
	}
	t.Cleanup(func() { cancel(); watching.Wait() })
	return o
}

// watchAll has every version of every ConfigMap of a member from now on.
func watchAll(ctx context.Context, t *testing.T, k kubernetes.Interface) watch.Interface {
	t.Helper()
	list, err := k.CoreV1().ConfigMaps("").List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	events, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return k.CoreV1().ConfigMaps("").Watch(ctx, o)
		},
	})
	require.NoError(t, err)
	return events
}

// complain notes something that must never be.
func (o *observer) complain(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wrong = append(o.wrong, fmt.Sprintf("%s  %s", time.Now().Format("15:04:05.000"), fmt.Sprintf(format, args...)))
}

// clean fails the test at the first thing that is wrong.
func (o *observer) clean() {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	require.Empty(o.t, o.wrong, strings.Join(o.wrong, "\n")) // the message comes last, where a log is cut last
}

// event judges one version of one object: every version of what is accord's has to be what some commit wants there, its
// overrides included, and no older one than was there before.
func (o *observer) event(cluster string, e watch.Event) {
	cm, ok := e.Object.(*corev1.ConfigMap)
	switch {
	case e.Type == watch.Error:
		o.complain("the watch of %s ended: %v", cluster, e.Object)
		return
	case !ok || cm.Namespace != "shop" && cm.Namespace != "store" || cm.Labels[v1alpha1.PartOfLabel] == "":
		return
	}
	at := place{cluster, manifest.ID{Kind: "ConfigMap", Namespace: cm.Namespace, Name: cm.Name}}
	o.judge(at, cm)
	if e.Type == watch.Deleted {
		o.deleted(at)
	}
	select {
	case o.stored <- struct{}{}:
	default:
	}
}

func (o *observer) judge(at place, cm *corev1.ConfigMap) {
	digest, wanted := cm.Annotations[v1alpha1.DigestAnnotation], o.commits.of(at.cluster, at.id)
	first, last := -1, -1
	for i, v := range wanted {
		if v.digest != digest {
			continue
		}
		if !maps.Equal(v.data, cm.Data) {
			o.complain("%s on %s has the digest of commit %d and other data: %v", at.id, at.cluster, i, cm.Data)
		}
		if last = i; first < 0 {
			first = i
		}
	}
	if first < 0 {
		o.complain("%s on %s is what no commit wants there: digest %q, %v", at.id, at.cluster, digest, cm.Data)
		return
	}
	o.mu.Lock()
	h := o.seen[at]
	if h == nil {
		h = &history{digests: map[string]bool{}}
		o.seen[at] = h
	}
	back := last < h.newest
	before := h.newest
	h.digests[digest], h.newest = true, max(first, h.newest)
	o.mu.Unlock()
	if back {
		o.complain("%s on %s went back to commit %d, from %d", at.id, at.cluster, last, before)
	}
}

// deleted judges that an object went: some commit, not older than what was there, has to want that, unless the test deleted it.
func (o *observer) deleted(at place) {
	if o.byHand(at) {
		return
	}
	o.mu.Lock()
	since := o.seen[at].newest
	o.mu.Unlock()
	for _, v := range o.commits.of(at.cluster, at.id)[since:] {
		if v.digest == "" {
			return
		}
	}
	o.complain("%s was deleted on %s although every commit since %d wants it there", at.id, at.cluster, since)
}

// claimed is asked at the moment at which accord says that a cluster has an object as commit since wants it: it is true if that
// is what is there, or something newer is and it was there.
func (o *observer) claimed(c claim, at place, want string, since int, live map[manifest.ID]string) {
	digest := live[at.id]
	if digest == want || digest == "" && o.excused(at, c) {
		return
	}
	for _, v := range o.commits.of(at.cluster, at.id)[since:] {
		if v.digest == digest {
			o.was(c.who, at, want)
			return
		}
	}
	o.complain("%s, but %s on %s is %q and not %q, of commit %d", c.who, at.id, at.cluster, digest, want, since)
}

// was checks that a version was once on a cluster. The watch may be behind the claim.
func (o *observer) was(who string, at place, want string) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		o.mu.Lock()
		h := o.seen[at]
		was := h != nil && h.digests[want]
		o.mu.Unlock()
		if was {
			return
		}
	}
	o.complain("%s, but %s was never %q on %s", who, at.id, want, at.cluster)
}
