package mirror

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

// writer sends the requests that write one object. Mirror.writer returns the only writer of an object until close.
type writer struct {
	*Mirror
	*entry
}

func (m *Mirror) writer(e *entry) writer {
	e.writing.Lock()
	return writer{m, e}
}

func (w writer) close() { w.writing.Unlock() }

// state returns a copy of the record of the object.
func (w writer) state() record { return w.entries.read(w.entry) }

// change applies a transition to the record of the object.
func (w writer) change(transition func(*record)) { w.entries.change(w.entry, transition) }

// sync writes or removes an object whose state differs from the wanted state; an error asks for a retry.
func (m *Mirror) sync(ctx context.Context, e *entry) error {
	w := m.writer(e)
	defer w.close()
	ctx, cancel := context.WithTimeout(ctx, clusters.RequestTimeout)
	defer cancel()
	r := w.state()
	if !r.isDue() {
		return nil
	}
	var err error
	if r.want == nil {
		err = w.remove(ctx, r.have)
	} else if err = w.write(ctx, r); err != nil {
		w.demote(ctx)
	}
	if err != nil {
		m.log.Debug("cannot write a mirrored object, retrying", "object", e.id, "error", err)
	}
	return err
}

// write applies the wanted template. It leaves alone an object that belongs to somebody else, and a kind that the hub does not
// serve.
func (w writer) write(ctx context.Context, r record) error {
	objects, err := w.resource(r.want.GVK, w.id)
	w.change(func(r *record) { r.unserved = meta.IsNoMatchError(err) })
	if meta.IsNoMatchError(err) {
		return w.awaitKind(r.want.GVK)
	} else if err != nil {
		return err
	}
	if r.have == nil {
		if foreign, err := isForeign(ctx, objects, w.id.Name); err != nil {
			return err
		} else if foreign {
			w.change(func(r *record) { r.foreign = true })
			return nil
		}
	}
	body, total, err := r.want.body(r.owner, r.replicas)
	if err != nil {
		return err
	}
	after, err := w.replace(ctx, objects, r, body)
	if err != nil {
		return err
	}
	w.applied(ctx, r.have, observed{gvk: r.want.GVK, replicas: total}, after)
	return nil
}

// replace applies body, or recreates the object if the API server refuses the change: nothing on the hub depends on the UID.
func (w writer) replace(ctx context.Context, objects metadata.ResourceInterface, r record, body []byte) (*metav1.PartialObjectMetadata, error) {
	// The template of a Job is immutable, and its end is final: another decision needs another Job.
	recreate := r.have != nil && w.id.GroupKind() == jobKind && r.have.decision != r.decision
	if !recreate {
		after, err := w.apply(ctx, objects, body)
		if !apierrors.IsInvalid(err) || r.have == nil || goesFirst(w.id) {
			return after, err
		}
	}
	if err := w.delete(ctx, objects, r.have); err != nil {
		return nil, err
	}
	return w.apply(ctx, objects, body)
}

// applied records the answer of the hub to a write; now has the values that the answer lacks. If the generation did not move
// with the decision, applied demotes the status.
func (w writer) applied(ctx context.Context, before *observed, now observed, after *metav1.PartialObjectMetadata) {
	now.uid, now.version, now.generation = after.UID, after.ResourceVersion, after.Generation
	now.owner, now.decision = after.Annotations[OwnerAnnotation], after.Annotations[DecisionAnnotation]
	now.finalizers, now.deleting = len(after.Finalizers) > 0, after.DeletionTimestamp != nil
	var owner string
	var outdated, due bool
	w.change(func(r *record) {
		outdated = r.applied(before, &now)
		owner, due = r.owner, r.isDue()
	})
	if due { // the wanted state has changed since
		w.queue.AddAfter(w.id, repairDelay)
	}
	if outdated {
		w.demote(ctx)
	}
	w.requestStatus(owner, w.id)
}

// apply writes body by server-side apply, and creates the namespace if the hub lacks it.
func (w writer) apply(ctx context.Context, objects metadata.ResourceInterface, body []byte, sub ...string) (*metav1.PartialObjectMetadata, error) {
	force := true
	options := metav1.PatchOptions{FieldManager: FieldManager, Force: &force}
	after, err := objects.Patch(ctx, w.id.Name, types.ApplyPatchType, body, options, sub...)
	if !apierrors.IsNotFound(err) || w.id.Namespace == "" || len(sub) > 0 {
		return after, err
	}
	if err := w.createNamespace(ctx, w.id.Namespace); err != nil {
		return nil, err
	}
	return objects.Patch(ctx, w.id.Name, types.ApplyPatchType, body, options)
}

// resource returns the client for an object on the hub.
func (m *Mirror) resource(gvk schema.GroupVersionKind, id manifest.ID) (metadata.ResourceInterface, error) {
	mapping, err := m.hub.Kinds.Mapping(gvk)
	if err != nil {
		return nil, err
	}
	if namespaced := mapping.Scope.Name() == meta.RESTScopeNameNamespace; namespaced != (id.Namespace != "") {
		return nil, fmt.Errorf("%s has another scope on the hub", gvk.Kind)
	}
	return m.hub.Metadata.Resource(mapping.Resource).Namespace(id.Namespace), nil
}

// awaitKind returns an error, for a retry, if the mirror has the definition of a kind that the hub does not serve yet.
func (m *Mirror) awaitKind(gvk schema.GroupVersionKind) error {
	if !m.entries.defines(gvk.Group) {
		return nil
	}
	if err := m.hub.Kinds.Refresh(); err != nil {
		return err
	}
	return fmt.Errorf("the hub does not serve %s yet", gvk.Kind)
}

// isForeign reports whether the hub has an object that the mirror neither labelled nor wrote.
func isForeign(ctx context.Context, objects metadata.ResourceInterface, name string) (bool, error) {
	live, err := objects.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	for _, f := range live.ManagedFields {
		if f.Manager == FieldManager {
			return false, nil // somebody removed the label
		}
	}
	return live.Labels[v1alpha1.PartOfLabel] != setID, nil
}
