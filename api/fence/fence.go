// Package fence stops the workloads of a cluster that must not run beside its standby, and starts them again as they were. A fence is one
// field and one annotation of each workload, so it survives every program that wrote it.
package fence

import (
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Annotation has the value that the field had before the fence: the replicas, or "false" for a suspended CronJob or Job.
const Annotation = "recovery.accord.dev/fenced"

// field returns the field of spec that stops a kind: replicas or suspend; empty if there is none.
func field(u *unstructured.Unstructured) string {
	group := u.GroupVersionKind().Group
	if kind := u.GetKind(); group == "batch" && (kind == "CronJob" || kind == "Job") {
		return "suspend"
	}
	if _, has, err := unstructured.NestedInt64(u.Object, "spec", "replicas"); has && err == nil {
		return "replicas"
	}
	return ""
}

// Runs reports whether a workload starts pods, and whether a fence can stop it. A DaemonSet runs, and no field stops it.
func Runs(u *unstructured.Unstructured) (runs, stoppable bool) {
	switch field(u) {
	case "suspend":
		suspended, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend")
		return !suspended, true
	case "replicas":
		n, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		return n > 0, true
	}
	return u.GroupVersionKind().Group == "apps" && u.GetKind() == "DaemonSet", false
}

// Stop returns the JSON merge patch that fences a workload; nil if it does not run, or if no field stops it.
func Stop(u *unstructured.Unstructured) map[string]any {
	if runs, stoppable := Runs(u); !runs || !stoppable {
		return nil
	}
	if field(u) == "suspend" {
		return patch("suspend", true, "false")
	}
	n, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	return patch("replicas", int64(0), strconv.FormatInt(n, 10))
}

// Start returns the JSON merge patch that removes the fence of a workload; nil if it has none.
func Start(u *unstructured.Unstructured) map[string]any {
	before, fenced := u.GetAnnotations()[Annotation]
	if !fenced {
		return nil
	}
	name := field(u)
	if name == "suspend" {
		return patch(name, before != "false", nil)
	}
	n, err := strconv.ParseInt(before, 10, 32)
	if err != nil || name == "" {
		return nil
	}
	return patch(name, n, nil)
}

// Started returns a workload as it is without its fence: u itself if it has none.
func Started(u *unstructured.Unstructured) *unstructured.Unstructured {
	p := Start(u)
	if p == nil {
		return u
	}
	u = u.DeepCopy()
	for name, value := range p["spec"].(map[string]any) {
		_ = unstructured.SetNestedField(u.Object, value, "spec", name) // spec is a map: it has the field
	}
	unstructured.RemoveNestedField(u.Object, "metadata", "annotations", Annotation)
	return u
}

func patch(field string, value, annotation any) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{Annotation: annotation}},
		"spec":     map[string]any{field: value},
	}
}
