package mirror

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// remove deletes an object that nobody wants. Namespaces, and definitions of kinds that somebody else has objects of, stay
// while they do.
func (m *Mirror) remove(ctx context.Context, e *entry, have *observed) error {
	objects, err := m.resource(have.gvk, e.id)
	if meta.IsNoMatchError(err) {
		return nil // gone with its definition
	} else if err != nil {
		return err
	}
	switch e.id.GroupKind() {
	case namespaceKind:
		return nil // tidy looks whether it is empty, after everything else
	case crdKind:
		used, err := m.used(ctx, e.id)
		if used || err != nil {
			return err
		}
	}
	if err := m.delete(ctx, objects, e.id, have); err != nil {
		return err
	}
	m.note(e, func() {
		if e.have != nil && e.have.uid == have.uid { // else it is known already that it is gone
			going := *e.have
			going.deleting = true
			e.have = &going
		}
	})
	return nil
}

// delete what was seen, and nothing that took its place. Finalizers wait for controllers that a hub does not have.
func (m *Mirror) delete(ctx context.Context, objects metadata.ResourceInterface, id manifest.ID, have *observed) error {
	if have.finalizers && id.GroupKind() != crdKind {
		body := fmt.Appendf(nil, `{"metadata":{"uid":%q,"finalizers":null}}`, have.uid)
		if _, err := objects.Patch(ctx, id.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: FieldManager}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("releasing %s: %w", id, err)
		}
	}
	background := metav1.DeletePropagationBackground
	err := objects.Delete(ctx, id.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &have.uid}, PropagationPolicy: &background,
	})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // another one is in its place: not ours to delete
		return fmt.Errorf("removing the mirror of %s: %w", id, err)
	}
	return nil
}

// used says whether somebody else has objects of the kind that a definition makes.
func (m *Mirror) used(ctx context.Context, id manifest.ID) (bool, error) {
	definitions := m.hub.Objects.Resource(schema.GroupVersionResource{Group: crdKind.Group, Version: "v1", Resource: "customresourcedefinitions"})
	crd, err := definitions.Get(ctx, id.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("reading the definition %s: %w", id.Name, err)
	}
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		v, _ := v.(map[string]any)
		name, _ := v["name"].(string)
		if v["served"] != true {
			continue
		}
		r := schema.GroupVersionResource{Group: group, Version: name, Resource: plural}
		list, err := m.hub.Metadata.Resource(r).List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.PartOfLabel + "!=" + setID, Limit: 1})
		if err != nil && !apierrors.IsNotFound(err) {
			return false, fmt.Errorf("looking for objects of %s: %w", id.Name, err)
		}
		return err == nil && len(list.Items) > 0, nil
	}
	return false, nil
}
