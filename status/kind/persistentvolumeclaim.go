package kind

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/pods"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var persistentVolumeClaim = Kind{
	Health:  health.Present(claimHealth),
	Reflect: read.Phase,
	// A cluster that has not answered is Pending here; Karmada §6.5 counts it as Bound.
	Aggregate: sum.WorstPhase("Lost", "Pending", "Bound"),
	Yields:    []string{"spec.volumeName"},
	Immutable: claimImmutable,
}

// claimImmutable checks its spec except the size, which can grow, and the class of attributes; the volume can be named
// once.
func claimImmutable(before, after *unstructured.Unstructured) []string {
	was, is := pods.ClaimOf(before.Object), pods.ClaimOf(after.Object)
	if was == nil || is == nil { // of no shape that can be read
		return read.Fixed{"spec": nil}.Changed(before, after)
	}
	var changed []string
	if was.Spec.VolumeName == "" {
		was.Spec.VolumeName = is.Spec.VolumeName
	}
	grown := is.Spec.Resources.Requests.Storage().Cmp(*was.Spec.Resources.Requests.Storage()) >= 0
	delete(was.Spec.Resources.Requests, corev1.ResourceStorage)
	delete(is.Spec.Resources.Requests, corev1.ResourceStorage)
	for _, f := range []struct {
		path    string
		was, is any
	}{
		{"spec.accessModes", was.Spec.AccessModes, is.Spec.AccessModes},
		{"spec.dataSource", was.Spec.DataSource, is.Spec.DataSource},
		{"spec.dataSourceRef", was.Spec.DataSourceRef, is.Spec.DataSourceRef},
		{"spec.resources", was.Spec.Resources, is.Spec.Resources},
		{"spec.resources.requests.storage", true, grown},
		{"spec.selector", was.Spec.Selector, is.Spec.Selector},
		{"spec.storageClassName", was.Spec.StorageClassName, is.Spec.StorageClassName},
		{"spec.volumeMode", was.Spec.VolumeMode, is.Spec.VolumeMode},
		{"spec.volumeName", was.Spec.VolumeName, is.Spec.VolumeName},
	} {
		if !equality.Semantic.DeepEqual(f.was, f.is) {
			changed = append(changed, f.path)
		}
	}
	return changed
}

// claimHealth: only Bound is healthy (Karmada §6.6). The StorageClass, not the claim, determines whether a Pending
// claim waits for its first consumer or for a volume that does not exist; the message mentions both.
func claimHealth(_, status map[string]any) (Health, string) {
	switch read.Text(status, "phase") {
	case "Bound":
		return Healthy, "bound"
	case "Lost":
		return Failed, "lost: the volume it was bound to does not exist any more"
	}
	return Progressing, "waits for a volume; with volumeBindingMode WaitForFirstConsumer it gets one only when a pod uses it"
}
