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

// Tell makes the status of a mirrored object what the cells say, one for every decided cluster; decision is that which they
// are about. Nothing is sent if the object says so already, or is not mirrored.
func (m *Mirror) Tell(ctx context.Context, federation string, id manifest.ID, decision string, cells []status.Cell) error {
	m.mu.Lock()
	e := m.entries[id]
	m.mu.Unlock()
	if e == nil {
		return nil
	}
	e.busy.Lock()
	defer e.busy.Unlock()
	j, mirrored := m.aggregate(e, federation, decision, cells)
	if !mirrored {
		return nil
	}
	next := j.status()
	if next == nil || m.scaled(e, j, next) || m.upToDate(e, next) {
		return nil
	}
	return m.putStatus(ctx, e, next)
}

// aggregate is false if the object is not mirrored, or is another federation's.
func (m *Mirror) aggregate(e *entry, federation, decision string, cells []status.Cell) (j aggregation, mirrored bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.owner != federation || e.want == nil || e.have == nil || e.have.owner != federation {
		return j, false
	}
	revision, _ := e.have.status["currentRevision"].(string)
	return aggregation{
		id: e.id, kind: e.want.Kind, cells: cells, decision: e.decision,
		written:    decision == e.decision && e.have.decision == e.decision && !e.have.foreign,
		generation: e.have.generation, observed: e.have.observed(), revision: revision,
	}, true
}

// upToDate says that the object says so, as far as is known, or is gone: then it is asked for when it is back.
func (m *Mirror) upToDate(e *entry, next map[string]any) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.have == nil {
		return true
	}
	same := e.asked != nil && contains(e.asked, next) && contains(next, e.asked) || e.asked == nil && contains(e.have.status, next)
	if same {
		e.asked = next
	}
	return same
}

// scaled notices that autoscalers of the members run other numbers than were decided. The sum in spec follows them once all
// is well: readers compare it with what runs. The status is written after that.
func (m *Mirror) scaled(e *entry, j aggregation, next map[string]any) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.have == nil {
		return false
	}
	runs, ok := next["replicas"].(int64)
	if !ok || e.have.replicas == nil || *e.have.replicas == runs || !j.done() {
		return false
	}
	for _, c := range j.cells {
		if state, _ := c.State(); state != v1alpha1.Healthy {
			return false
		}
	}
	e.replicas = &runs
	m.queue.Add(e.id)
	return true
}

// putStatus writes a whole status. One that the API server does not accept is not tried again until it changes.
// The caller holds e.busy.
func (m *Mirror) putStatus(ctx context.Context, e *entry, next map[string]any) error {
	ctx, cancel := context.WithTimeout(ctx, clusters.RequestTimeout)
	defer cancel()
	m.mu.Lock()
	have := e.have
	m.mu.Unlock()
	if have == nil {
		return nil // it went meanwhile; its status is asked for when it is back
	}
	objects, err := m.resource(have.gvk, e.id)
	if err != nil {
		return err
	}
	metadata := map[string]any{"name": e.id.Name, "uid": string(have.uid)}
	if e.id.Namespace != "" {
		metadata["namespace"] = e.id.Namespace
	}
	body, err := json.Marshal(map[string]any{
		"apiVersion": have.gvk.GroupVersion().String(), "kind": e.id.Kind, "metadata": metadata, "status": next,
	})
	if err != nil {
		return fmt.Errorf("telling the status of %s: %w", e.id, err)
	}
	after, err := m.apply(ctx, objects, e, body, "status")
	switch {
	case apierrors.IsInvalid(err), apierrors.IsBadRequest(err), apierrors.IsNotFound(err), apierrors.IsConflict(err):
		m.log.Debug("a mirrored status was not accepted", "object", e.id, "error", err)
		m.note(e, func() { e.asked = next })
		return nil
	case err != nil:
		return fmt.Errorf("telling the status of %s: %w", e.id, err)
	}
	m.note(e, func() {
		e.asked = next
		if e.have != nil && e.have.uid == after.UID {
			now := *e.have
			now.version, now.status = after.ResourceVersion, next
			e.have = &now
		}
	})
	return nil
}

// demote takes back that an object is done: what was decided since could not be written into it, or did not move its
// generation. The caller holds e.busy.
func (m *Mirror) demote(ctx context.Context, e *entry) {
	m.mu.Lock()
	if e.have == nil || !e.have.claims() {
		m.mu.Unlock()
		return
	}
	next := maps.Clone(e.have.status)
	next["observedGeneration"] = max(e.have.generation-1, 0)
	m.mu.Unlock()
	if err := m.putStatus(ctx, e, next); err != nil {
		m.log.Debug("a mirrored status claims what was decided otherwise", "object", e.id, "error", err)
	}
}
