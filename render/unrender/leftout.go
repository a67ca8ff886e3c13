package unrender

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

// LeftOut returns the reason why a live object does not belong into Git, and "" if it does: a controller or the cluster made it, or accord
// delivers it already.
func LeftOut(u *unstructured.Unstructured) string {
	gvk := u.GroupVersionKind()
	if owner := metav1.GetControllerOf(u); owner != nil {
		return "made by " + owner.Kind + " " + owner.Name
	}
	if len(u.GetOwnerReferences()) > 0 {
		return "owned by " + u.GetOwnerReferences()[0].Kind + " " + u.GetOwnerReferences()[0].Name
	}
	if u.GetDeletionTimestamp() != nil {
		return "being deleted"
	}
	if v1alpha1.IsDelivered(u) {
		return "delivered by accord already"
	}
	if why := KindLeftOut(gvk.GroupKind()); why != "" {
		return why
	}
	switch gvk.Group + "/" + gvk.Kind {
	case "/ConfigMap", "/Endpoints":
		if manifest.Annotation(u, "control-plane.alpha.kubernetes.io/leader") != "" {
			return aLease
		}
	case "/Secret":
		return secretLeftOut(u)
	case "batch/Job":
		if finished(u) {
			return "a finished Job"
		}
	}
	if slices.Contains(ofCluster[gvk.Group+"/"+gvk.Kind], u.GetName()) || slices.ContainsFunc(marksOfCluster, func(mark string) bool {
		return manifest.Label(u, mark) != "" || manifest.Annotation(u, mark) == "true"
	}) {
		return "made by the cluster"
	}
	if gvk.Group == "" && gvk.Kind == "Service" && u.GetNamespace() == metav1.NamespaceDefault && u.GetName() == "kubernetes" {
		return "made by the cluster"
	}
	return ""
}

// KindLeftOut returns the reason why no object of a kind belongs into Git, and "" if objects of the kind may.
func KindLeftOut(gk schema.GroupKind) string {
	if gk.Group == "work.karmada.io" {
		return "made by Karmada"
	}
	return clusterMade[gk.Group+"/"+gk.Kind]
}

// systemNamespaces belong to Kubernetes.
var systemNamespaces = []string{"kube-system", "kube-public", "kube-node-lease"}

// SystemNamespaces returns the namespaces that belong to Kubernetes: their objects belong into no Git repository, and no other cluster.
func SystemNamespaces() []string { return slices.Clone(systemNamespaces) }

// ofCluster are the names of the objects that every cluster makes for itself.
var ofCluster = map[string][]string{
	"/ConfigMap":                      {"kube-root-ca.crt", "openshift-service-ca.crt", "istio-ca-root-cert", "extension-apiserver-authentication"},
	"/ServiceAccount":                 {"default"},
	"/Namespace":                      append([]string{"default"}, systemNamespaces...),
	"scheduling.k8s.io/PriorityClass": {"system-cluster-critical", "system-node-critical"},
	"networking.k8s.io/ServiceCIDR":   {"kubernetes"},
}

// marksOfCluster are labels and annotations of the objects that the API server writes and keeps up to date.
var marksOfCluster = []string{"kubernetes.io/bootstrapping", "kube-aggregator.kubernetes.io/automanaged", "apf.kubernetes.io/autoupdate-spec"}

// finished reports whether a Job has ended.
func finished(u *unstructured.Unstructured) bool {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	return slices.ContainsFunc(conditions, func(c any) bool {
		condition, _ := c.(map[string]any)
		return condition["status"] == "True" && (condition["type"] == "Complete" || condition["type"] == "Failed")
	})
}

const aLease = "a lease of a running program"

// clusterMade are the kinds whose objects exist only because of others, or for a moment.
var clusterMade = map[string]string{
	"/Event": "an event", "events.k8s.io/Event": "an event", "/Endpoints": "made by its Service", "discovery.k8s.io/EndpointSlice": "made by its Service",
	"coordination.k8s.io/Lease": aLease, "coordination.k8s.io/LeaseCandidate": aLease, "/Node": "a node of the cluster",
	"/ComponentStatus": "a status of the cluster", "/PersistentVolume": "storage of the cluster", "apps/ControllerRevision": "a revision of a workload",
	"storage.k8s.io/CSINode": "a node of the cluster", "storage.k8s.io/VolumeAttachment": "storage of the cluster",
	"storage.k8s.io/CSIStorageCapacity": "storage of the cluster", "snapshot.storage.k8s.io/VolumeSnapshotContent": "storage of the cluster",
	"resource.k8s.io/ResourceSlice": "a node of the cluster", "networking.k8s.io/IPAddress": "made by its Service",
	"certificates.k8s.io/CertificateSigningRequest": "a request for a certificate", "internal.apiserver.k8s.io/StorageVersion": "a status of the cluster",
	"storagemigration.k8s.io/StorageVersionMigration": "a status of the cluster", "metrics.k8s.io/PodMetrics": "a measurement",
	"metrics.k8s.io/NodeMetrics": "a measurement", "cilium.io/CiliumEndpoint": "made by its pod", "cilium.io/CiliumIdentity": "made by its pod",
	"cilium.io/CiliumNode": "a node of the cluster", "accord.dev/Release": "made by accord", "accord.dev/Delivery": "made by accord",
	"accord.dev/FederatedObject": "made by accord", "accord.dev/DeliveryReport": "made by accord",
}

// secretLeftOut returns the reason for Secrets that programs write.
func secretLeftOut(u *unstructured.Unstructured) string {
	kind, _, _ := unstructured.NestedString(u.Object, "type")
	switch {
	case kind == "kubernetes.io/service-account-token":
		return "a token of the cluster"
	case kind == "bootstrap.kubernetes.io/token":
		return "a bootstrap token"
	case strings.HasPrefix(kind, "helm.sh/"):
		return "a record of Helm"
	}
	return ""
}
