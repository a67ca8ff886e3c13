package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/fairshare"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/reconciler/trigger"
	"github.com/accord-dev/accord/source"
)

const (
	// Workers is the number of Federations that are reconciled at once. Namespaces share them, and in a namespace the hosts of sources:
	// a quarter for one host at most.
	Workers = 16
	// maxBuilds is the number of builds at once, which namespaces share.
	maxBuilds = 6
	// buildTime is the longest time of a build. A build that takes longer continues in the background and keeps its place, because it
	// cannot be interrupted; nothing waits for it.
	buildTime = 5 * time.Minute
)

// turns divides the time of the process among Federations: one with a slow Git server or a slow build holds up only those of the same
// server or namespace. A nil *turns divides nothing.
type turns struct {
	builds    *fairshare.Pool
	buildTime time.Duration
	// again wakes Federations that waited.
	again trigger.Trigger

	mu      sync.Mutex
	workers *fairshare.Pool
	waiting []*turn // in the order of their first attempts
}

func newTurns() *turns {
	return &turns{builds: fairshare.New(maxBuilds), buildTime: buildTime, workers: fairshare.New(Workers)}
}

// turn is one reconciliation of a Federation.
type turn struct {
	of    *turns
	key   types.NamespacedName
	hosts []string
}

// begin starts a reconciliation. It returns false, and wakes the Federation later, while others of its namespace or of the hosts of its
// sources have their share. end ends it.
func (t *turns) begin(key types.NamespacedName, fed *v1alpha1.Federation) (end func(), begun bool) {
	if t == nil {
		return func() {}, true
	}
	n := &turn{of: t, key: key, hosts: hostsOf(fed)}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.waiting, func(w *turn) bool { return w.key == key })
	switch begun = n.take(); {
	case begun && i >= 0:
		t.waiting = slices.Delete(t.waiting, i, i+1)
	case !begun && i >= 0:
		t.waiting[i] = n
	case !begun:
		t.waiting = append(t.waiting, n)
	}
	return n.end, begun
}

func (n *turn) take() bool { return n.of.workers.Take(1, n.key.Namespace, n.hosts...) }

func (n *turn) giveBack() { n.of.workers.Return(1, n.key.Namespace, n.hosts...) }

// end ends a reconciliation and wakes the Federations that may begin now, the first first. They stay in the list until they begin: if
// one of them is gone, the next end passes over it.
func (n *turn) end() {
	t := n.of
	t.mu.Lock()
	defer t.mu.Unlock()
	n.giveBack()
	var woken []*turn
	for _, w := range t.waiting {
		if w.take() {
			woken = append(woken, w)
		}
	}
	for _, w := range woken {
		w.giveBack()
		t.again.Federation(w.key)
	}
}

// forget drops a Federation that does not exist any more.
func (t *turns) forget(key types.NamespacedName) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = slices.DeleteFunc(t.waiting, func(w *turn) bool { return w.key == key })
}

// hostsOf returns the hosts of the sources of a Federation, each once.
func hostsOf(fed *v1alpha1.Federation) []string {
	var hosts []string
	for _, s := range fed.Spec.Sources {
		if host := source.Host(s.URL); host != "" {
			hosts = append(hosts, host)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// errSlowBuild means that a build took longer than buildTime.
var errSlowBuild = errors.New("the build of the manifests takes too long")

// build runs a build of the manifests of a Federation, at most for buildTime.
func (t *turns) build(ctx context.Context, namespace string, parts func() (decode.Parts, error)) (decode.Parts, error) {
	if t == nil {
		return parts()
	}
	waiting, end := context.WithTimeout(ctx, t.buildTime)
	defer end()
	if err := t.builds.Wait(waiting, 1, namespace); err != nil {
		return decode.Parts{}, fmt.Errorf("waiting for other builds of namespace %s: %w", namespace, err)
	}
	type built struct {
		parts decode.Parts
		err   error
	}
	done := make(chan built, 1)
	go func() {
		defer t.builds.Return(1, namespace)
		var b built
		defer func() {
			if r := recover(); r != nil {
				b.err = fmt.Errorf("panic: %v", r)
			}
			done <- b
		}()
		b.parts, b.err = parts()
	}()
	late := time.NewTimer(t.buildTime)
	defer late.Stop()
	select {
	case b := <-done:
		return b.parts, b.err
	case <-late.C:
		return decode.Parts{}, fmt.Errorf("%w: more than %s; use fewer objects in one kustomization, or split the Federation", errSlowBuild, t.buildTime)
	case <-ctx.Done():
		return decode.Parts{}, ctx.Err()
	}
}
