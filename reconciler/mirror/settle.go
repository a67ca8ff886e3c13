package mirror

import (
	"context"
	"fmt"
	"strings"

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

// settle makes one object what it should be; false asks for another try.
func (m *Mirror) settle(ctx context.Context, e *entry) bool {
	e.busy.Lock()
	defer e.busy.Unlock()
	ctx, cancel := context.WithTimeout(ctx, clusters.RequestTimeout)
	defer cancel()
	m.mu.Lock()
	due, want, have := e.due(), e.want, e.have
	w := desired{owner: e.owner, decision: e.decision, replicas: e.replicas}
	if want != nil {
		w.Template = *want
	}
	m.mu.Unlock()
	if !due {
		return true
	}
	var err error
	if want == nil {
		err = m.remove(ctx, e, have)
	} else if err = m.write(ctx, e, w, have); err != nil {
		m.demote(ctx, e)
	}
	if err != nil {
		m.log.Debug("the mirror is not as it should be, trying again", "object", e.id, "error", err)
	}
	return err == nil
}

// desired is the wanted state of an entry at the time of a write.
type desired struct {
	Template
	owner, decision string
	replicas        *int64
}

// write applies the template of an entry. What is somebody else's, and what the hub does not serve, is left alone.
func (m *Mirror) write(ctx context.Context, e *entry, want desired, have *observed) error {
	objects, err := m.resource(want.GVK, e.id)
	m.note(e, func() { e.unserved = meta.IsNoMatchError(err) })
	if meta.IsNoMatchError(err) {
		return m.awaitKind(want.GVK)
	} else if err != nil {
		return err
	}
	if have == nil {
		if whose, err := m.whose(ctx, objects, e.id.Name); err != nil {
			return err
		} else if whose != "" {
			m.note(e, func() { e.why = whose })
			return nil
		}
	}
	body, total, err := want.body(want.owner, want.replicas)
	if err != nil {
		return err
	}
	after, err := m.replace(ctx, objects, e, want, have, body)
	if err != nil {
		return err
	}
	m.wrote(ctx, e, have, observed{gvk: want.GVK, replicas: total}, after)
	return nil
}

// replace applies body to what is there, or recreates the object where that is not possible: nothing runs here that would end
// with it.
func (m *Mirror) replace(ctx context.Context, objects metadata.ResourceInterface, e *entry, want desired, have *observed, body []byte) (*metav1.PartialObjectMetadata, error) {
	// The template of a Job is immutable, and its end is final: another decision needs another Job.
	recreate := have != nil && e.id.GroupKind() == jobKind && have.decision != want.decision
	if !recreate {
		after, err := m.apply(ctx, objects, e, body)
		if !apierrors.IsInvalid(err) || have == nil || e.first() {
			return after, err
		}
	}
	if err := m.delete(ctx, objects, e.id, have); err != nil {
		return nil, err
	}
	return m.apply(ctx, objects, e, body)
}

// resource of an object on the hub.
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

// awaitKind is an error if a kind that the hub does not serve is about to be: its definition is mirrored, too.
func (m *Mirror) awaitKind(gvk schema.GroupVersionKind) error {
	m.mu.Lock()
	expected := false
	for id, e := range m.entries {
		expected = expected || e.want != nil && id.GroupKind() == crdKind && strings.HasSuffix(id.Name, "."+gvk.Group)
	}
	m.mu.Unlock()
	if !expected {
		return nil
	}
	if err := m.hub.Kinds.Refresh(); err != nil {
		return err
	}
	return fmt.Errorf("the hub does not serve %s yet", gvk.Kind)
}

// whose says whom an object belongs to that we do not know of; empty if it is ours, or not there.
func (m *Mirror) whose(ctx context.Context, objects metadata.ResourceInterface, name string) (string, error) {
	there, err := objects.Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	for _, f := range there.ManagedFields {
		if f.Manager == FieldManager {
			return "", nil // somebody took our label off
		}
	}
	if there.Labels[v1alpha1.PartOfLabel] == setID {
		return "", nil
	}
	return "it is on the hub already, and is not ours", nil
}

// apply by server-side apply; the namespace is made when it is not there.
func (m *Mirror) apply(ctx context.Context, objects metadata.ResourceInterface, e *entry, body []byte, sub ...string) (*metav1.PartialObjectMetadata, error) {
	force := true
	options := metav1.PatchOptions{FieldManager: FieldManager, Force: &force}
	after, err := objects.Patch(ctx, e.id.Name, types.ApplyPatchType, body, options, sub...)
	if !apierrors.IsNotFound(err) || e.id.Namespace == "" || len(sub) > 0 {
		return after, err
	}
	if err := m.makeNamespace(ctx, e.id.Namespace); err != nil {
		return nil, err
	}
	return objects.Patch(ctx, e.id.Name, types.ApplyPatchType, body, options)
}

// wrote takes note of what the hub answered; now is what it does not say. If the generation did not move although the
// decision did, the status is what has to say that it is not done.
func (m *Mirror) wrote(ctx context.Context, e *entry, before *observed, now observed, after *metav1.PartialObjectMetadata) {
	now.uid, now.version, now.generation = after.UID, after.ResourceVersion, after.Generation
	now.owner, now.decision = after.Annotations[OwnerAnnotation], after.Annotations[DecisionAnnotation]
	now.finalizers, now.deleting = len(after.Finalizers) > 0, after.DeletionTimestamp != nil
	m.mu.Lock()
	if e.have != nil && e.have.uid == now.uid { // the watch may have been quicker
		now.status = e.have.status
	}
	e.have, e.why = &now, ""
	created := before == nil || before.uid != now.uid
	if created {
		e.asked = nil
	}
	claims := !created && before.decision != now.decision && now.claims()
	owner := e.owner
	if e.due() { // something else is wanted by now
		m.queue.AddAfter(e.id, pause)
	}
	m.mu.Unlock()
	if claims {
		m.demote(ctx, e)
	}
	m.tell(owner, e.id)
}

// note changes what is known of an entry.
func (m *Mirror) note(e *entry, change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}
