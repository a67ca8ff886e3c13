package render

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Strip removes the fields that member clusters own from u, in place: server-populated metadata, the status, and fields
// that controllers set, by kind and regardless of group (Karmada §3.6).
func Strip(u *unstructured.Unstructured) {
	for _, field := range []string{
		"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields",
		"resourceVersion", "selfLink", "uid", "ownerReferences", "finalizers",
	} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(u.Object, "status")
	switch u.GetKind() {
	case "Deployment":
		dropAnnotations(u, "deployment.kubernetes.io/revision", "deployment.kubernetes.io/revision-history")
	case "Job":
		stripJob(u)
	case "Service":
		stripService(u)
	case "ServiceAccount":
		stripServiceAccount(u)
	case "Secret":
		if kind, _, _ := unstructured.NestedString(u.Object, "type"); kind == "kubernetes.io/service-account-token" {
			unstructured.RemoveNestedField(u.Object, "data")
			dropAnnotations(u, "kubernetes.io/service-account.uid")
		}
	case "PersistentVolumeClaim":
		dropAnnotations(u, "volume.kubernetes.io/selected-node")
	}
}

// stripJob removes the labels that the Job controller generates, and ttlSecondsAfterFinished: accord would recreate a
// finished Job that the member deleted.
func stripJob(u *unstructured.Unstructured) {
	unstructured.RemoveNestedField(u.Object, "spec", "ttlSecondsAfterFinished")
	if manual, _, _ := unstructured.NestedBool(u.Object, "spec", "manualSelector"); manual {
		return
	}
	generated := []string{"controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name"}
	dropKeys(u.Object, generated, "spec", "selector", "matchLabels")
	dropKeys(u.Object, generated, "spec", "template", "metadata", "labels")
}

// stripService removes addresses that a cluster assigned. It keeps the headless "None".
func stripService(u *unstructured.Unstructured) {
	if ip, _, _ := unstructured.NestedString(u.Object, "spec", "clusterIP"); ip != "None" {
		unstructured.RemoveNestedField(u.Object, "spec", "clusterIP")
		unstructured.RemoveNestedField(u.Object, "spec", "clusterIPs")
	}
}

// stripServiceAccount removes token secrets that old clusters added.
func stripServiceAccount(u *unstructured.Unstructured) {
	secrets, ok := u.Object["secrets"].([]any)
	if !ok {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(secrets), func(s any) bool {
		ref, _ := s.(map[string]any)
		name, _ := ref["name"].(string)
		return strings.HasPrefix(name, u.GetName()+"-token-")
	})
	if len(kept) == 0 {
		delete(u.Object, "secrets")
		return
	}
	u.Object["secrets"] = kept
}

func dropAnnotations(u *unstructured.Unstructured, keys ...string) {
	dropKeys(u.Object, keys, "metadata", "annotations")
}

// dropKeys removes keys from the map at path, and the map if it becomes empty.
func dropKeys(object map[string]any, keys []string, path ...string) {
	m, found, err := unstructured.NestedFieldNoCopy(object, path...)
	fields, ok := m.(map[string]any)
	if err != nil || !found || !ok {
		return
	}
	before := len(fields)
	for _, key := range keys {
		delete(fields, key)
	}
	if before > 0 && len(fields) == 0 {
		unstructured.RemoveNestedField(object, path...)
	}
}
