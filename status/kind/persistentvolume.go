package kind

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/health"
	"github.com/accord-dev/accord/status/kind/internal/read"
	"github.com/accord-dev/accord/status/kind/internal/sum"
)

var persistentVolume = Kind{
	Health:    health.Present(volumeHealth),
	Reflect:   read.Phase,
	Aggregate: sum.WorstPhase("Failed", "Pending", "Available", "Bound", "Released"), // Karmada §6.5
	Yields:    []string{"spec.claimRef"},
	Immutable: volumeImmutable,
}

// volumeFields are the fields of a volume's spec that can be changed or have a rule of their own. Every other field
// identifies the volume.
var volumeFields = []string{
	"accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName",
	"volumeAttributesClassName", "volumeMode",
}

// volumeImmutable checks the volume itself, its mode, and its nodes once they are named.
func volumeImmutable(before, after *unstructured.Unstructured) []string {
	changed := read.Fixed{"spec.volumeMode": "Filesystem"}.Changed(before, after)
	was, is := read.Object(before.Object, "spec"), read.Object(after.Object, "spec")
	if was["nodeAffinity"] != nil && !read.Equal(was["nodeAffinity"], is["nodeAffinity"]) {
		changed = append(changed, "spec.nodeAffinity")
	}
	for _, key := range read.Keys(was, is) {
		if !slices.Contains(volumeFields, key) && !read.Equal(volumeSource(key, was), volumeSource(key, is)) {
			changed = append(changed, "spec."+key)
		}
	}
	slices.Sort(changed)
	return changed
}

// volumeSource returns a field of the spec without the type "" of a path on the host, which is the default.
func volumeSource(key string, spec map[string]any) any {
	source := read.Object(spec, key)
	if key != "hostPath" || source["type"] != "" {
		return spec[key]
	}
	return map[string]any{"path": source["path"]}
}

// volumeHealth: it is healthy if it exists, whether a claim uses it or not.
func volumeHealth(_, status map[string]any) (Health, string) {
	switch phase := read.Text(status, "phase"); phase {
	case "Available", "Bound", "Released":
		return Healthy, phase
	case "Failed":
		return Failed, "failed: " + cmp.Or(read.Text(status, "message"), read.Text(status, "reason"))
	}
	return Progressing, "pending"
}
