package agent

import (
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/scripts"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/delivery"
)

// executor makes the parts of bundles the wanted state of the cluster. Only the loop that follows the bundles uses it.
type executor struct {
	cluster  string
	registry *state.Registry
	pool     *deliver.Pool
	parts    *parts

	resynced time.Time
	// last is the index that is executed; nil before the first.
	last *bundle.Index
	// rendered has the objects of the last index, and scripts its scripts, by the names of their contents.
	rendered map[string]*propagate.Rendered
	scripts  map[string]scripts.Interpreters
}

// has reports whether the executor has a content of the last index.
func (e *executor) has(name string) bool {
	_, known := e.scripts[name]
	return known || e.rendered[name] != nil
}

// execute makes an index the wanted state. A part that cannot be decoded leaves its Federation as it is.
func (e *executor) execute(index *bundle.Index, contents bundle.Contents, now time.Time) error {
	rendered, known := map[string]*propagate.Rendered{}, map[string]scripts.Interpreters{}
	wanted := map[types.NamespacedName]bool{}
	var errs []error
	for i := range index.Parts {
		part := &index.Parts[i]
		key := types.NamespacedName{Namespace: part.Namespace, Name: part.Name}
		wanted[key] = true
		if part.Unknown {
			continue
		}
		x, err := e.decode(part, contents)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for j, o := range part.Objects {
			rendered[o.SHA256] = x.Target.Objects[j].Rendered
		}
		known[part.Scripts] = x.Interpreters
		e.start(key, x, now)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, f := range e.registry.Federations() {
		if !wanted[f.Key()] { // its objects stay
			e.forget(f.Key())
		}
	}
	e.last = index
	e.keep(rendered, known)
	return nil
}

// keep replaces the decoded contents. Those of an unknown part stay: its Federation is as it was.
func (e *executor) keep(rendered map[string]*propagate.Rendered, known map[string]scripts.Interpreters) {
	for _, part := range e.parts.all() {
		if i, there := e.scripts[part.Scripts]; there {
			known[part.Scripts] = i
		}
		for _, o := range part.Objects {
			if r := e.rendered[o.SHA256]; r != nil && rendered[o.SHA256] == nil {
				rendered[o.SHA256] = r
			}
		}
	}
	e.rendered, e.scripts = rendered, known
}

func (e *executor) decode(part *bundle.Part, contents bundle.Contents) (bundle.Execution, error) {
	x := bundle.Execution{Part: part}
	var err error
	if x.Target, err = part.Target(e.cluster, contents, e.rendered); err != nil {
		return x, err
	}
	if last, there := e.scripts[part.Scripts]; there {
		x.Interpreters = last
		return x, nil
	}
	x.Interpreters, err = part.Interpreters(contents, scripts.Interpreters{})
	return x, err
}

// start has the pool deliver a part.
func (e *executor) start(key types.NamespacedName, x bundle.Execution, now time.Time) {
	f := e.registry.Federation(key)
	if f != nil && !f.Is(delivery.Federation(x.Part)) { // another one of the same name
		e.forget(key)
		f = nil
	}
	if f == nil {
		f = state.New(delivery.Federation(x.Part), e.registry, nil)
		e.registry.Add(f)
	}
	e.parts.set(key, x.Part)
	next, relist := f.Execute(e.cluster, x, now)
	if relist {
		e.pool.Relist(f)
	}
	e.pool.Enqueue(next)
}

func (e *executor) forget(key types.NamespacedName) {
	e.parts.set(key, nil)
	if e.registry.Remove(key) {
		e.pool.Forget(key)
	}
}

// resync has deliveries and reports repeated that are due, if the agent is quiet, and now and then if it is not: a report beside a delivery
// that began would be followed by another one.
func (e *executor) resync(now time.Time, quiet bool) {
	if !quiet && now.Sub(e.resynced) < pollTime {
		return
	}
	e.resynced = now
	for _, f := range e.registry.Federations() {
		e.pool.Enqueue(f.Resync(now))
	}
}
