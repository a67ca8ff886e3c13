// Package scope decides which objects have a namespace.
package scope

import (
	"cmp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render"
)

// ClusterScoped has the kinds without a namespace. The planner asks no API server, so it knows the built-in kinds, some
// widely used ones, and every CustomResourceDefinition among the objects. It takes any other kind for namespaced:
// without a namespace in its manifest the object goes to DefaultNamespace, as with kubectl.
type ClusterScoped map[schema.GroupKind]bool

// DefaultNamespace is the namespace of namespaced manifests that name none.
const DefaultNamespace = "default"

var crdKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

// Of returns the kinds without a namespace in an input with these objects.
func Of(objects []render.Object) ClusterScoped {
	known := ClusterScoped{}
	for group, kinds := range wellKnownClusterScoped() {
		for _, kind := range kinds {
			known[schema.GroupKind{Group: group, Kind: kind}] = true
		}
	}
	for _, o := range objects {
		if o.ID().GroupKind() != crdKind {
			continue
		}
		scope, _, _ := unstructured.NestedString(o.Manifest.Object, "spec", "scope")
		known[manifest.Defines(o.Manifest)] = scope == "Cluster"
	}
	return known
}

// Namespace returns the namespace that u has on a member: none for a cluster-scoped kind, DefaultNamespace when the
// manifest names none.
func (s ClusterScoped) Namespace(u *unstructured.Unstructured) string {
	if s[u.GroupVersionKind().GroupKind()] {
		return ""
	}
	return cmp.Or(u.GetNamespace(), DefaultNamespace)
}

func wellKnownClusterScoped() map[string][]string {
	return map[string][]string{
		"":                             {"Namespace", "Node", "PersistentVolume", "ComponentStatus"},
		"admissionregistration.k8s.io": {"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"},
		"apiextensions.k8s.io":         {"CustomResourceDefinition"},
		"apiregistration.k8s.io":       {"APIService"},
		"certificates.k8s.io":          {"CertificateSigningRequest", "ClusterTrustBundle"},
		"flowcontrol.apiserver.k8s.io": {"FlowSchema", "PriorityLevelConfiguration"},
		"networking.k8s.io":            {"IngressClass", "IPAddress", "ServiceCIDR"},
		"node.k8s.io":                  {"RuntimeClass"},
		"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
		"resource.k8s.io":              {"DeviceClass", "DeviceTaintRule", "ResourceSlice"},
		"scheduling.k8s.io":            {"PriorityClass"},
		"storage.k8s.io":               {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"},
		"snapshot.storage.k8s.io":      {"VolumeSnapshotClass", "VolumeSnapshotContent"},
		"gateway.networking.k8s.io":    {"GatewayClass"},
		"policy.networking.k8s.io":     {"AdminNetworkPolicy", "BaselineAdminNetworkPolicy"},
		"cert-manager.io":              {"ClusterIssuer"},
		"external-secrets.io":          {"ClusterSecretStore", "ClusterExternalSecret"},
		"kyverno.io":                   {"ClusterPolicy", "ClusterCleanupPolicy"},
		"cilium.io":                    {"CiliumClusterwideNetworkPolicy"},
		"karpenter.sh":                 {"NodePool", "NodeClaim"},
		"templates.gatekeeper.sh":      {"ConstraintTemplate"},
	}
}
