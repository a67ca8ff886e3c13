// Package unrender turns the live objects of a cluster into manifests for Git, the reverse of package render.
package unrender

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/render"
)

// cleanedAnnotations are notes of programs about the live object.
var cleanedAnnotations = []string{
	lastApplied, v1alpha1.DigestAnnotation, v1alpha1.PreserveAnnotation, v1alpha1.AdoptedAnnotation,
	"resource.karmada.io/cached-from-cluster", "control-plane.alpha.kubernetes.io/leader", "autoscaling.alpha.kubernetes.io/conditions",
	"autoscaling.alpha.kubernetes.io/current-metrics", "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller",
	"volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner", "deprecated.daemonset.template.generation",
	"batch.kubernetes.io/job-tracking",
}

// Manifest returns the manifest of a live object: without the status and everything that the cluster or accord added. Defaults of the API
// server stay: WithoutDefaults removes them.
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
	gvk := u.GroupVersionKind()
	switch gvk.Group + "/" + gvk.Kind {
	case "/Service":
		drop(u, "spec", "ipFamilies")
		drop(u, "spec", "ipFamilyPolicy")
		dropNodePorts(u, WrittenIn(live))
	case "/PersistentVolumeClaim":
		drop(u, "spec", "volumeName")
	case "/Pod":
		drop(u, "spec", "nodeName")
		dropTokenVolumes(u)
	case "/Namespace":
		drop(u, "spec")
		delete(labels, "kubernetes.io/metadata.name")
		set(u, "labels", labels)
	case "rbac.authorization.k8s.io/ClusterRole":
		if u.Object["aggregationRule"] != nil {
			drop(u, "rules") // a controller collects them
		}
	case "admissionregistration.k8s.io/ValidatingWebhookConfiguration", "admissionregistration.k8s.io/MutatingWebhookConfiguration":
		if annotations["cert-manager.io/inject-ca-from"] != "" {
			dropAuthorities(u)
		}
	}
	dropOldAccountField(u)
	dropNull(u.Object)
	return u
}

func drop(u *unstructured.Unstructured, path ...string) {
	unstructured.RemoveNestedField(u.Object, path...)
}

// dropNodePorts removes the ports that the cluster chose, if the object shows that its manifest chose none.
func dropNodePorts(u *unstructured.Unstructured, written Written) {
	spec, _ := u.Object["spec"].(map[string]any)
	if spec == nil || !written.Known() {
		return
	}
	if in := written.Field("spec"); !in.Field("healthCheckNodePort").Has() {
		delete(spec, "healthCheckNodePort")
	}
	for i, port := range items(spec["ports"]) {
		if !written.Field("spec").Field("ports").Item(i, port).Field("nodePort").Has() {
			delete(port, "nodePort")
		}
	}
}

// tokenVolume begins the names of the volumes that the API server adds to pods, with a token of their account.
const tokenVolume = "kube-api-access-"

func dropTokenVolumes(u *unstructured.Unstructured) {
	spec, _ := u.Object["spec"].(map[string]any)
	dropItems(spec, "volumes", "name")
	for _, list := range []string{"initContainers", "containers"} {
		for _, container := range items(spec[list]) {
			dropItems(container, "volumeMounts", "name")
		}
	}
}

// dropItems removes the items of a list whose name begins with tokenVolume.
func dropItems(around map[string]any, list, key string) {
	kept := slices.DeleteFunc(items(around[list]), func(item map[string]any) bool {
		name, _ := item[key].(string)
		return strings.HasPrefix(name, tokenVolume)
	})
	delete(around, list)
	for _, item := range kept {
		rest, _ := around[list].([]any)
		around[list] = append(rest, item)
	}
}

// dropAuthorities removes the certificates that cert-manager injects.
func dropAuthorities(u *unstructured.Unstructured) {
	for _, webhook := range items(u.Object["webhooks"]) {
		if client, ok := webhook["clientConfig"].(map[string]any); ok {
			delete(client, "caBundle")
		}
	}
}

// dropOldAccountField removes spec.serviceAccount of pods: the API server copies serviceAccountName to this deprecated field.
func dropOldAccountField(u *unstructured.Unstructured) {
	for _, path := range [][]string{{"spec"}, {"spec", "template", "spec"}, {"spec", "jobTemplate", "spec", "template", "spec"}} {
		spec, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
		if pod, ok := spec.(map[string]any); ok && pod["serviceAccount"] == pod["serviceAccountName"] {
			delete(pod, "serviceAccount")
		}
	}
}

// items returns the objects in a list.
func items(list any) (objects []map[string]any) {
	all, _ := list.([]any)
	for _, item := range all {
		object, _ := item.(map[string]any)
		objects = append(objects, object)
	}
	return objects
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
