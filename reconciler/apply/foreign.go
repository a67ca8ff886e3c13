package apply

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// foreignObject names an object in a namespace that is not ours and would be deleted with it; empty if there is none. Every kind
// that the cluster serves is looked at, which is a few dozen requests; it is done only for a namespace that a commit
// was explicitly allowed to delete. What cannot be looked at is an error: it is not empty.
func (d *delivery) foreignObject(ctx context.Context, namespace string) (string, error) {
	resources, err := d.member.Kinds.NamespacedResources()
	if err != nil {
		return "", err
	}
	for _, r := range resources {
		if isTransient(r.GroupResource()) {
			continue
		}
		items, err := d.list(ctx, r, namespace, v1alpha1.PartOfLabel+"!="+d.applySet)
		if err != nil {
			return "", err
		}
		for i := range items {
			if !isImplicit(r.GroupResource(), &items[i]) {
				return fmt.Sprintf("%s %s", r.GroupResource(), items[i].Name), nil
			}
		}
	}
	return "", nil
}

// isTransient are kinds that the cluster itself writes about others.
func isTransient(r schema.GroupResource) bool {
	switch r.Group {
	case "events.k8s.io", "metrics.k8s.io", "coordination.k8s.io", "discovery.k8s.io":
		return true
	}
	return r.Group == "" && (r.Resource == "events" || r.Resource == "endpoints")
}

// isImplicit says that the cluster made an object for the namespace, or that it belongs to another object and goes with it.
func isImplicit(r schema.GroupResource, item *metav1.PartialObjectMetadata) bool {
	switch {
	case len(item.OwnerReferences) > 0, item.DeletionTimestamp != nil:
		return true
	case r.Group != "":
		return false
	}
	return r.Resource == "configmaps" && item.Name == "kube-root-ca.crt" || r.Resource == "serviceaccounts" && item.Name == "default"
}
