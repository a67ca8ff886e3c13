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

// remove deletes an object that no Federation wants. A definition stays while somebody else has objects of its kind.
func (w writer) remove(ctx context.Context, have *observed) error {
	objects, err := w.resource(have.gvk, w.id)
	if meta.IsNoMatchError(err) {
		return nil // removed with its definition
	} else if err != nil {
		return err
	}
	switch w.id.GroupKind() {
	case namespaceKind:
		return nil // removeEmptyNamespaces removes it after all other objects
	case manifest.DefinitionKind:
		used, err := w.isUsed(ctx, w.id)
		if used || err != nil {
			return err
		}
	}
	if err := w.delete(ctx, objects, have); err != nil {
		return err
	}
	w.change(func(r *record) { r.deletes(have) })
	return nil
}

// delete deletes the observed version, and no object in its place. It removes finalizers first: their controllers do not run
// on a hub.
func (w writer) delete(ctx context.Context, objects metadata.ResourceInterface, have *observed) error {
	if have.finalizers && w.id.GroupKind() != manifest.DefinitionKind {
		body := fmt.Appendf(nil, `{"metadata":{"uid":%q,"finalizers":null}}`, have.uid)
		if _, err := objects.Patch(ctx, w.id.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: FieldManager}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing the finalizers of %s: %w", w.id, err)
		}
	}
	background := metav1.DeletePropagationBackground
	err := objects.Delete(ctx, w.id.Name, metav1.DeleteOptions{
		Preconditions: &metav1.Preconditions{UID: &have.uid}, PropagationPolicy: &background,
	})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) { // a conflict: the UID belongs to an older object
		return fmt.Errorf("removing the mirror of %s: %w", w.id, err)
	}
	return nil
}

// isUsed reports whether somebody else has objects of the kind that a CustomResourceDefinition defines.
func (m *Mirror) isUsed(ctx context.Context, id manifest.ID) (bool, error) {
	definitions := m.hub.Objects.Resource(schema.GroupVersionResource{Group: manifest.DefinitionKind.Group, Version: "v1", Resource: "customresourcedefinitions"})
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
