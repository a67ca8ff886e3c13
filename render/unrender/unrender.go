// Package unrender turns the live objects of a cluster into manifests for Git, the reverse of package render.
package unrender

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/render"
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
	if why, ok := clusterMade[gvk.Group+"/"+gvk.Kind]; ok {
		return why
	}
	switch gvk.Group + "/" + gvk.Kind {
	case "/ConfigMap":
		if u.GetName() == "kube-root-ca.crt" || u.GetName() == "openshift-service-ca.crt" {
			return "made by the cluster"
		}
	case "/ServiceAccount":
		if u.GetName() == "default" {
			return "made by the cluster"
		}
	case "/Service":
		if u.GetNamespace() == metav1.NamespaceDefault && u.GetName() == "kubernetes" {
			return "made by the cluster"
		}
	case "/Secret":
		return secretLeftOut(u)
	}
	return ""
}

// clusterMade are the kinds whose objects exist only because of others, or for a moment.
var clusterMade = map[string]string{
	"/Event": "an event", "events.k8s.io/Event": "an event", "/Endpoints": "made by its Service", "discovery.k8s.io/EndpointSlice": "made by its Service",
	"coordination.k8s.io/Lease": "a lease of a running program", "/Node": "a node of the cluster", "/ComponentStatus": "a status of the cluster",
	"/PersistentVolume": "storage of the cluster", "metrics.k8s.io/PodMetrics": "a measurement", "apps/ControllerRevision": "a revision of a workload",
	"cilium.io/CiliumEndpoint": "made by its pod",
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

// cleanedAnnotations are notes of programs about the live object.
var cleanedAnnotations = []string{
	"kubectl.kubernetes.io/last-applied-configuration", v1alpha1.DigestAnnotation, v1alpha1.PreserveAnnotation, v1alpha1.AdoptedAnnotation,
	"resource.karmada.io/cached-from-cluster", "control-plane.alpha.kubernetes.io/leader", "autoscaling.alpha.kubernetes.io/conditions",
	"autoscaling.alpha.kubernetes.io/current-metrics", "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller",
	"volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner",
}

// Manifest returns the manifest of a live object: without the status and everything that the cluster or accord added. Defaults of the API
// server stay, because a manifest may have set them, too.
func Manifest(live *unstructured.Unstructured) *unstructured.Unstructured {
	u := live.DeepCopy()
	render.Strip(u)
	annotations, labels := u.GetAnnotations(), u.GetLabels()
	for _, key := range cleanedAnnotations {
		delete(annotations, key)
	}
	if strings.HasPrefix(labels[v1alpha1.PartOfLabel], "applyset-") {
		delete(labels, v1alpha1.PartOfLabel)
	}
	set(u, "annotations", annotations)
	set(u, "labels", labels)
	switch u.GetKind() {
	case "Service":
		for _, field := range []string{"ipFamilies", "ipFamilyPolicy"} {
			unstructured.RemoveNestedField(u.Object, "spec", field)
		}
	case "PersistentVolumeClaim":
		unstructured.RemoveNestedField(u.Object, "spec", "volumeName")
	case "Pod":
		unstructured.RemoveNestedField(u.Object, "spec", "nodeName")
	case "Namespace":
		unstructured.RemoveNestedField(u.Object, "spec")
		delete(labels, "kubernetes.io/metadata.name")
		set(u, "labels", labels)
	}
	dropNull(u.Object)
	return u
}

// set sets a map of the metadata, or removes it if it is empty.
func set(u *unstructured.Unstructured, field string, values map[string]string) {
	unstructured.RemoveNestedField(u.Object, "metadata", field)
	if len(values) > 0 {
		_ = unstructured.SetNestedStringMap(u.Object, values, "metadata", field) // metadata is a map
	}
}

// dropNull removes fields without a value, such as metadata.creationTimestamp of pod templates.
func dropNull(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value == nil {
				delete(v, key)
			} else {
				dropNull(value)
			}
		}
	case []any:
		for _, value := range v {
			dropNull(value)
		}
	}
}
