// Package applyorder sorts the objects of a cluster into the order in which accord applies them.
package applyorder

import (
	"cmp"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
)

// Compare orders two objects: objects that others need come first, objects that act on others last, and objects of one
// rank by ID.
func Compare(a, b manifest.ID) int {
	return cmp.Or(cmp.Compare(rank(a.GroupKind()), rank(b.GroupKind())), a.Compare(b))
}

// rank returns the step in which accord applies a kind. Custom resources, and every kind not listed, come after
// configuration and before workloads.
func rank(gk schema.GroupKind) int {
	switch gk {
	case schema.GroupKind{Kind: "Namespace"}:
		return 0
	case manifest.DefinitionKind:
		return 1
	}
	switch gk.Kind {
	case "PriorityClass", "RuntimeClass":
		return 2
	case "ResourceQuota", "LimitRange", "NetworkPolicy":
		return 3
	case "ServiceAccount":
		return 4
	case "Secret", "ConfigMap":
		return 5
	case "StorageClass", "PersistentVolume":
		return 6
	case "PersistentVolumeClaim":
		return 7
	case "ClusterRole", "Role":
		return 8
	case "ClusterRoleBinding", "RoleBinding":
		return 9
	case "Service", "EndpointSlice", "Endpoints", "IngressClass":
		return 10
	case "DaemonSet", "Pod", "ReplicationController", "ReplicaSet", "Deployment", "StatefulSet", "Job", "CronJob":
		return 12
	case "HorizontalPodAutoscaler", "PodDisruptionBudget", "Ingress":
		return 13
	case "APIService":
		return 14
	case "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy",
		"MutatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration":
		return 15
	}
	return 11
}
