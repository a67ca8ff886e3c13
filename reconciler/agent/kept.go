package agent

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/propagate/bundle"
)

// kept is the bundle that the agent kept before it started, until it is executed or another one is. Afterwards it has the contents of the
// trials of the last index: those of a plan that becomes active need not be fetched again. The zero kept is none.
type kept struct {
	index    *bundle.Index
	contents bundle.Contents
}

// load reads the bundle that was kept. The agent refuses an older one from then on, also if the contents cannot be used.
func (a *Agent) load() *kept {
	index, contents, err := a.cache.Load(a.Cluster)
	if err != nil {
		a.Log.Error("cannot use the kept bundle, waiting for the hub", "cluster", a.Cluster, "error", err)
	}
	a.executor.last = index
	if contents == nil {
		return &kept{}
	}
	return &kept{index, contents}
}

// resume executes the bundle that was kept, if no other one was executed.
func (a *Agent) resume(from *kept) {
	if from.index == nil {
		return
	}
	a.Log.Info("executing the bundle that was kept", "cluster", a.Cluster, "sequence", from.index.Sequence)
	if err := a.executor.execute(from.index, from.contents, time.Now()); err != nil {
		a.Log.Error("parts of the kept bundle are not executed", "cluster", a.Cluster, "error", err)
	}
	*from = kept{}
}

// has reports whether a content need not be fetched. One that can neither be decoded again nor read from the cache is fetched to be kept.
func (a *Agent) has(name string, from *kept) bool {
	if from.contents[name] != nil {
		return true
	}
	return a.executor.has(name) && (a.cache == nil || a.cache.Has(name) || a.executor.rendered[name] != nil)
}

// complete returns an index without questions to the agent, in which the parts that are unknown now are those that are executed.
func (e *executor) complete(index *bundle.Index) *bundle.Index {
	complete := *index
	complete.Parts, complete.Trials, complete.Inquiry, complete.Room = nil, nil, nil, false
	for _, part := range index.Parts {
		if executed := e.parts.get(types.NamespacedName{Namespace: part.Namespace, Name: part.Name}); part.Unknown && executed != nil {
			part = *executed
		}
		complete.Parts = append(complete.Parts, part)
	}
	return &complete
}

// contentsFrom returns the contents that were fetched, and those that are executed.
func (e *executor) contentsFrom(fetched bundle.Contents) func(name string) []byte {
	return func(name string) []byte {
		if content := fetched[name]; content != nil {
			return content
		}
		if r := e.rendered[name]; r != nil {
			return r.Body.Bytes()
		}
		return nil
	}
}
