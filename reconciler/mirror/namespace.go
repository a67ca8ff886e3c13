package mirror

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// impliedAnnotation marks a namespace that the mirror created for the objects in it.
const impliedAnnotation = "accord.dev/mirror-needs"

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// createNamespace creates a namespace that the hub lacks, with the label of the mirror, so that it is removed once it is empty.
func (m *Mirror) createNamespace(ctx context.Context, name string) error {
	m.namespaceWrites.Lock()
	defer m.namespaceWrites.Unlock()
	_, err := m.hub.Metadata.Resource(namespaces).Get(ctx, name, metav1.GetOptions{})
	if err == nil || !apierrors.IsNotFound(err) {
		return err
	}
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q,"labels":{%q:%q},"annotations":{%q:"true"}}}`,
		name, v1alpha1.PartOfLabel, setID, impliedAnnotation)
	_, err = m.hub.Metadata.Resource(namespaces).Patch(ctx, name, types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: FieldManager})
	if err != nil {
		return fmt.Errorf("creating the namespace %s: %w", name, err)
	}
	return nil
}

// removeEmptyNamespaces removes those of the namespaces that have the label of the mirror and no object any more. A namespace
// stays if its objects cannot be listed.
func (m *Mirror) removeEmptyNamespaces(ctx context.Context, names map[string]bool) {
	for name := range names {
		if err := m.removeNamespace(ctx, name); err != nil {
			m.log.Debug("a namespace of the mirror stays", "namespace", name, "error", err)
		}
	}
}

func (m *Mirror) removeNamespace(ctx context.Context, name string) error {
	m.namespaceWrites.Lock()
	defer m.namespaceWrites.Unlock()
	if !m.entries.isUnused(name) || isReserved(name) {
		return nil
	}
	live, err := m.hub.Metadata.Resource(namespaces).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && live.Labels[v1alpha1.PartOfLabel] != setID {
		return nil
	} else if err != nil {
		return err
	}
	tenant, err := m.foreignObject(ctx, name)
	if err != nil {
		return err
	} else if tenant != "" {
		return fmt.Errorf("%s is in it", tenant)
	}
	err = m.hub.Metadata.Resource(namespaces).Delete(ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &live.UID}})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing the namespace %s: %w", name, err)
	}
	return nil
}

// foreignObject returns an object in a namespace that does not belong to the mirror and would be deleted with the namespace;
// empty if there is none. A kind that cannot be listed is an error, not an empty list.
func (m *Mirror) foreignObject(ctx context.Context, namespace string) (string, error) {
	resources, err := m.hub.Kinds.NamespacedResources()
	if err != nil {
		return "", err
	}
	for _, r := range resources {
		if r.Resource == "events" || r.Group == "metrics.k8s.io" {
			continue
		}
		list, err := m.hub.Metadata.Resource(r).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: v1alpha1.PartOfLabel + "!=" + setID})
		if err != nil {
			return "", fmt.Errorf("looking for %s in %s: %w", r.Resource, namespace, err)
		}
		for i := range list.Items {
			if !isImplicit(r.GroupResource(), list.Items[i].Name) {
				return fmt.Sprintf("%s %s", r.GroupResource(), list.Items[i].Name), nil
			}
		}
	}
	return "", nil
}

// isImplicit reports whether Kubernetes itself creates the object in every namespace.
func isImplicit(r schema.GroupResource, name string) bool {
	return r.Group == "" && (r.Resource == "configmaps" && name == "kube-root-ca.crt" || r.Resource == "serviceaccounts" && name == "default")
}
