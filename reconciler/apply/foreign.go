package apply

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// foreignObject returns an object in the namespace that is not owned and would be deleted with it, or "". It lists
// every kind that the cluster serves, a few dozen requests, and is only called if a commit explicitly allows the
// deletion. A kind that cannot be listed is an error, not an empty list.
func (d *delivery) foreignObject(ctx context.Context, namespace string) (string, error) {
	resources, err := d.member.Kinds.NamespacedResources()
	if err != nil {
		return "", err
	}
	for _, r := range resources {
		if isTransient(r.GroupResource()) {
			continue
		}
		foreign, err := d.list(ctx, d.tenant, r, namespace, "", func(o *metav1.PartialObjectMetadata) bool {
			ours := o.Labels[v1alpha1.PartOfLabel] == d.applySet && !live.ObserveMetadata(schema.GroupVersionKind{}, o).IsStranger()
			return !ours && !isImplicit(r.GroupResource(), o)
		})
		if err != nil {
			return "", err
		}
		if len(foreign) > 0 {
			return fmt.Sprintf("%s %s", r.GroupResource(), foreign[0].Name), nil
		}
	}
	return "", nil
}

// isTransient reports whether the cluster itself writes objects of this kind about others.
func isTransient(r schema.GroupResource) bool {
	switch r.Group {
	case "events.k8s.io", "metrics.k8s.io", "coordination.k8s.io", "discovery.k8s.io":
		return true
	}
	return r.Group == "" && (r.Resource == "events" || r.Resource == "endpoints")
}

// isImplicit reports whether the cluster created the object for the namespace, or whether the object is deleted with
// its owner.
func isImplicit(r schema.GroupResource, item *metav1.PartialObjectMetadata) bool {
	switch {
	case len(item.OwnerReferences) > 0, item.DeletionTimestamp != nil:
		return true
	case r.Group != "":
		return false
	}
	return r.Resource == "configmaps" && item.Name == "kube-root-ca.crt" || r.Resource == "serviceaccounts" && item.Name == "default"
}
