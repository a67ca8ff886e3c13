package lease_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
)

// hub stores Leases as an API server does, in memory: every write makes a new version, an update of an old one is refused.
type hub struct {
	mu     sync.Mutex
	writes int
	leases map[string]*coordinationv1.Lease
}

var resource = coordinationv1.Resource("leases")

func (h *hub) put(lease *coordinationv1.Lease, uid types.UID) *coordinationv1.Lease {
	h.writes++
	stored := lease.DeepCopy()
	stored.ResourceVersion = strconv.Itoa(h.writes)
	stored.UID = uid
	h.leases[stored.Name] = stored
	return stored.DeepCopy()
}

func (h *hub) create(lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leases[lease.Name] != nil {
		return nil, apierrors.NewAlreadyExists(resource, lease.Name)
	}
	return h.put(lease, types.UID("uid-"+strconv.Itoa(h.writes))), nil
}

func (h *hub) update(lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	stored := h.leases[lease.Name]
	if stored == nil {
		return nil, apierrors.NewNotFound(resource, lease.Name)
	}
	if stored.ResourceVersion != lease.ResourceVersion {
		return nil, apierrors.NewConflict(resource, lease.Name, errors.New("written since"))
	}
	return h.put(lease, stored.UID), nil
}

func (h *hub) get(name string) (*coordinationv1.Lease, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if stored := h.leases[name]; stored != nil {
		return stored.DeepCopy(), nil
	}
	return nil, apierrors.NewNotFound(resource, name)
}

func (h *hub) list() (*coordinationv1.LeaseList, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := &coordinationv1.LeaseList{}
	for _, stored := range h.leases {
		list.Items = append(list.Items, *stored.DeepCopy())
	}
	return list, nil
}

func (h *hub) delete(name string, only *metav1.Preconditions) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	stored := h.leases[name]
	switch {
	case stored == nil:
		return apierrors.NewNotFound(resource, name)
	case only != nil && (*only.UID != stored.UID || *only.ResourceVersion != stored.ResourceVersion):
		return apierrors.NewConflict(resource, name, errors.New("written since"))
	}
	delete(h.leases, name)
	return nil
}

// link is a replica's way to the hub. Requests and answers take their time; while it is cut, requests are lost or arrive
// late, and answers are lost.
type link struct {
	coordinationclient.LeaseInterface // what is not used is nil
	hub                               *hub
	bad                               int // of a hundred messages
	cut, calm                         atomic.Bool
}

// late is how long a message takes. Most take milliseconds; of the bad ones most take seconds, and some longer than any
// deadline.
func (l *link) late() time.Duration {
	switch bad := rand.IntN(100) < l.bad; {
	case l.calm.Load():
		return time.Millisecond
	case !bad:
		return rand.N(20 * time.Millisecond)
	case rand.IntN(5) == 0:
		return rand.N(20 * time.Second)
	default:
		return rand.N(5 * time.Second)
	}
}

// over sends do to the hub and waits for the answer no longer than ctx. The request goes its way all the same.
func over[T any](ctx context.Context, l *link, do func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		time.Sleep(l.late())
		if l.cut.Load() {
			if rand.IntN(2) == 0 {
				return
			}
			time.Sleep(rand.N(30 * time.Second))
		}
		value, err := do()
		time.Sleep(l.late())
		if !l.cut.Load() {
			answers <- answer{value, err}
		}
	}()
	select {
	case a := <-answers:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

func (l *link) Create(ctx context.Context, lease *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return over(ctx, l, func() (*coordinationv1.Lease, error) { return l.hub.create(lease) })
}

func (l *link) Update(ctx context.Context, lease *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	return over(ctx, l, func() (*coordinationv1.Lease, error) { return l.hub.update(lease) })
}

func (l *link) Get(ctx context.Context, name string, _ metav1.GetOptions) (*coordinationv1.Lease, error) {
	return over(ctx, l, func() (*coordinationv1.Lease, error) { return l.hub.get(name) })
}

func (l *link) List(ctx context.Context, _ metav1.ListOptions) (*coordinationv1.LeaseList, error) {
	return over(ctx, l, l.hub.list)
}

func (l *link) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	_, err := over(ctx, l, func() (bool, error) { return true, l.hub.delete(name, o.Preconditions) })
	return err
}
