package render

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Strip removes from u, in place, what a member cluster decides itself and must not be sent: server-populated
// metadata, status, and per kind what controllers fill in (Karmada §3.6, keyed by kind and not by group).
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

// stripJob removes the labels the Job controller generates, and the time to live: a finished Job that a member
// collected would be made again.
func stripJob(u *unstructured.Unstructured) {
	unstructured.RemoveNestedField(u.Object, "spec", "ttlSecondsAfterFinished")
	if manual, _, _ := unstructured.NestedBool(u.Object, "spec", "manualSelector"); manual {
		return
	}
	generated := []string{"controller-uid", "batch.kubernetes.io/controller-uid", "job-name", "batch.kubernetes.io/job-name"}
	dropKeys(u.Object, generated, "spec", "selector", "matchLabels")
	dropKeys(u.Object, generated, "spec", "template", "metadata", "labels")
}

// stripService removes the addresses a cluster gave out; the headless "None" is the author's own.
func stripService(u *unstructured.Unstructured) {
	if ip, _, _ := unstructured.NestedString(u.Object, "spec", "clusterIP"); ip != "None" {
		unstructured.RemoveNestedField(u.Object, "spec", "clusterIP")
		unstructured.RemoveNestedField(u.Object, "spec", "clusterIPs")
	}
}

// stripServiceAccount removes the token secrets that old clusters made for it.
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

// dropKeys removes keys from the map at path, and the map with its last key.
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
