package mirror

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/status"
)

// WriteStatus writes the status that follows from the cells, one for every decided cluster, to a mirrored object. The cells are
// about decision. It sends nothing if the object has this status, or is not mirrored.
func (m *Mirror) WriteStatus(ctx context.Context, federation string, id manifest.ID, decision string, cells []status.Cell) error {
	e := m.entries.get(id)
	if e == nil {
		return nil
	}
	w := m.writer(e)
	defer w.close()
	j, mirrored := w.aggregate(federation, decision, cells)
	if !mirrored {
		return nil
	}
	next := j.status()
	if next == nil || w.scale(j, next) || w.shows(next) {
		return nil
	}
	return w.putStatus(ctx, next)
}

// aggregate returns the inputs of a status. It returns false if the object is not mirrored, or belongs to another Federation.
func (w writer) aggregate(federation, decision string, cells []status.Cell) (j aggregation, mirrored bool) {
	r := w.state()
	if r.owner != federation || r.want == nil || r.have == nil || r.have.owner != federation {
		return j, false
	}
	revision, _ := r.have.status["currentRevision"].(string)
	return aggregation{
		id: w.id, kind: r.want.Kind, cells: cells, decision: r.decision,
		written:    decision == r.decision && r.have.decision == r.decision && !r.have.modified,
		generation: r.have.generation, observed: r.have.observed(), revision: revision,
	}, true
}

// shows reports whether the object has a status already.
func (w writer) shows(next map[string]any) (same bool) {
	w.change(func(r *record) { same = r.shows(next) })
	return same
}

// scale requests another number of replicas in spec if autoscalers of the members run another number than was decided, and all
// clusters are healthy: readers compare the number in spec with the number that runs. It reports whether it did; the status
// follows after that write.
func (w writer) scale(j aggregation, next map[string]any) (scaled bool) {
	running, ok := next["replicas"].(int64)
	if !ok || !j.done() {
		return false
	}
	for _, c := range j.cells {
		if state, _ := c.State(); state != v1alpha1.Healthy {
			return false
		}
	}
	w.change(func(r *record) { scaled = r.scale(running) })
	if scaled {
		w.queue.Add(w.id)
	}
	return scaled
}

// putStatus writes a whole status. It does not retry a status that the API server refuses, until the status changes.
func (w writer) putStatus(ctx context.Context, next map[string]any) error {
	ctx, cancel := context.WithTimeout(ctx, clusters.RequestTimeout)
	defer cancel()
	have := w.state().have
	if have == nil {
		return nil // the object is gone; the next one that is created requests its status
	}
	objects, err := w.resource(have.gvk, w.id)
	if err != nil {
		return err
	}
	metadata := map[string]any{"name": w.id.Name, "uid": string(have.uid)}
	if w.id.Namespace != "" {
		metadata["namespace"] = w.id.Namespace
	}
	body, err := json.Marshal(map[string]any{
		"apiVersion": have.gvk.GroupVersion().String(), "kind": w.id.Kind, "metadata": metadata, "status": next,
	})
	if err != nil {
		return fmt.Errorf("writing the status of %s: %w", w.id, err)
	}
	after, err := w.apply(ctx, objects, body, "status")
	switch {
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsNotFound(err), apierrors.IsConflict(err):
		w.log.Debug("the hub refuses a mirrored status", "object", w.id, "error", err)
		w.change(func(r *record) { r.sent = next })
		return nil
	case err != nil:
		return fmt.Errorf("writing the status of %s: %w", w.id, err)
	}
	w.change(func(r *record) { r.wrote(next, after.UID, after.ResourceVersion) })
	return nil
}

// demote lowers status.observedGeneration below the generation, because a newer decision could not be written into the object,
// or did not move its generation.
func (w writer) demote(ctx context.Context) {
	have := w.state().have
	if have == nil || !have.isDone() {
		return
	}
	next := maps.Clone(have.status)
	next["observedGeneration"] = max(have.generation-1, 0)
	if err := w.putStatus(ctx, next); err != nil {
		w.log.Debug("a mirrored status shows an older decision as done", "object", w.id, "error", err)
	}
}
