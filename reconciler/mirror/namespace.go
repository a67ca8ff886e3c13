package mirror

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// impliedAnnotation is on a namespace that is only there for what is mirrored in it.
const impliedAnnotation = "accord.dev/mirror-needs"

var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// makeNamespace makes one that is not there, with our label, so that it goes when nothing is in it any more.
func (m *Mirror) makeNamespace(ctx context.Context, name string) error {
	m.space.Lock()
	defer m.space.Unlock()
	_, err := m.hub.Metadata.Resource(namespaces).Get(ctx, name, metav1.GetOptions{})
	if err == nil || !apierrors.IsNotFound(err) {
		return err
	}
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q,"labels":{%q:%q},"annotations":{%q:"true"}}}`,
		name, v1alpha1.PartOfLabel, setID, impliedAnnotation)
	_, err = m.hub.Metadata.Resource(namespaces).Patch(ctx, name, types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: FieldManager})
	if err != nil {
		return fmt.Errorf("making the namespace %s: %w", name, err)
	}
	return nil
}

// tidy removes the namespaces with our label in which something was removed, and in which nothing is any more. One that
// cannot be looked into stays.
func (m *Mirror) tidy(ctx context.Context, due map[*entry]bool) {
	names := map[string]bool{}
	m.mu.Lock()
	for e := range due {
		if e.want == nil && e.id.Namespace != "" {
			names[e.id.Namespace] = true
		} else if e.want == nil && e.id.GroupKind() == namespaceKind {
			names[e.id.Name] = true
		}
	}
	m.mu.Unlock()
	for name := range names {
		if err := m.removeNamespace(ctx, name); err != nil {
			m.log.Debug("a namespace of the mirror stays", "namespace", name, "error", err)
		}
	}
}

func (m *Mirror) removeNamespace(ctx context.Context, name string) error {
	m.space.Lock()
	defer m.space.Unlock()
	m.mu.Lock()
	e := m.entries[manifest.ID{Kind: namespaceKind.Kind, Name: name}]
	ours := e != nil && e.have != nil && e.want == nil
	for id, other := range m.entries {
		used := other.want != nil || other.have != nil && !other.have.deleting
		ours = ours && (id.Namespace != name || !used)
	}
	m.mu.Unlock()
	if !ours || reserved(name) {
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

// foreignObject names an object in a namespace that is not ours and would be deleted with it; empty if there is none. What cannot
// be looked at is an error: it is not empty.
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

// isImplicit says that an API server or what runs beside it makes the object for every namespace.
func isImplicit(r schema.GroupResource, name string) bool {
	return r.Group == "" && (r.Resource == "configmaps" && name == "kube-root-ca.crt" || r.Resource == "serviceaccounts" && name == "default")
}
