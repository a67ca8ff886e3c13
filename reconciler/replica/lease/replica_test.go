package lease_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/accord-dev/accord/reconciler/replica/lease"
)

// replica is one process of accord in the tests: its ownership and a worker that uses it.
type replica struct {
	*lease.Ownership
	worker *worker
	cancel context.CancelFunc
	over   chan struct{} // closed when Run has returned and the worker is still
	err    error         // of Run
}

// launch starts a replica, which works about every poll.
func launch(ctx context.Context, o lease.Options, w *worker, poll time.Duration) *replica {
	ctx, cancel := context.WithCancel(ctx)
	w.writing = map[string]bool{}
	o.Release = w.release
	r := &replica{Ownership: lease.New(o), worker: w, cancel: cancel, over: make(chan struct{})}
	w.owns = r.Owns
	ended := make(chan struct{})
	still := make(chan struct{})
	go func() {
		defer close(ended)
		r.err = r.Run(ctx)
	}()
	go func() {
		defer close(still)
		for {
			select {
			case <-ended:
				return
			case <-time.After(poll/2 + rand.N(poll)):
				w.work()
			}
		}
	}()
	go func() {
		<-ended
		<-still
		w.work() // must not begin a write: the replica owns nothing after Run
		close(r.over)
	}()
	return r
}

// running reports whether Run has not returned.
func (r *replica) running() bool {
	select {
	case <-r.over:
		return false
	default:
		return true
	}
}

// leave ends the replica regularly.
func (r *replica) leave() error {
	r.cancel()
	<-r.over
	return r.err
}

func optionsOf(leases coordinationclient.LeaseInterface, i int) lease.Options {
	return lease.Options{Leases: leases, Name: "accord", Identity: fmt.Sprintf("accord-%d", i)}
}
