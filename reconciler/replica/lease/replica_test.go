package lease_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/accord-dev/accord/reconciler/replica/lease"
)

// replica is one process of accord in the tests: a share of the clusters and a worker that uses it.
type replica struct {
	*lease.Shards
	worker *worker
	cancel context.CancelFunc
	over   chan struct{} // closed when Run has returned and the worker is still
	err    error         // of Run
}

// launch starts one. It polls what it holds every so often, give or take.
func launch(ctx context.Context, o lease.Options, w *worker, poll time.Duration) *replica {
	ctx, cancel := context.WithCancel(ctx)
	w.writing = map[string]bool{}
	o.LetGo = w.letGo
	r := &replica{Shards: lease.New(o), worker: w, cancel: cancel, over: make(chan struct{})}
	w.holds = r.Holds
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
		w.work() // a share that is over holds nothing: this must not begin anything
		close(r.over)
	}()
	return r
}

// running says whether Run has not returned.
func (r *replica) running() bool {
	select {
	case <-r.over:
		return false
	default:
		return true
	}
}

// leave ends it as a person does.
func (r *replica) leave() error {
	r.cancel()
	<-r.over
	return r.err
}

func optionsOf(leases coordinationclient.LeaseInterface, i int) lease.Options {
	return lease.Options{Leases: leases, Name: "accord", Identity: fmt.Sprintf("accord-%d", i)}
}
