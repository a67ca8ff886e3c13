package clusters

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// IdentityError is the error of a member that answers and is not the cluster that its Cluster declares. accord delivers nothing there.
type IdentityError struct {
	// Reason is AnotherCluster or DuplicateCluster.
	Reason  string
	Message string
}

func (e *IdentityError) Error() string { return e.Message }

var namespacesResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// Identity returns the UID of the member's namespace kube-system, which stays the same for the life of a cluster. It is empty
// if accord may not read the namespace, or if the namespace does not exist.
func Identity(ctx context.Context, m *Member) (string, error) {
	ns, err := m.Metadata.Resource(namespacesResource).Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	switch {
	case err == nil:
		return string(ns.UID), nil
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
		return "", nil
	}
	return "", explain(m, "reading its namespace "+metav1.NamespaceSystem, err)
}

// CheckIdentity returns an IdentityError if a member with this UID is not the cluster of spec.id. It accepts an unknown UID, and
// a Cluster without spec.id.
func CheckIdentity(cluster, specID, uid string) error {
	if specID == "" || uid == "" || specID == uid {
		return nil
	}
	return &IdentityError{AnotherCluster, fmt.Sprintf("cluster %s: its API endpoint leads to another cluster: the UID of namespace %s is %s, and spec.id is %s; "+
		"correct spec.apiEndpoint, or join the new cluster with \"accord join %s --replace\"", cluster, metav1.NamespaceSystem, uid, specID, cluster)}
}
