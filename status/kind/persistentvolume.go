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

// volumeFields are the fields of a volume's spec that can be changed, or have a rule of their own. Every other one says what
// the volume is.
var volumeFields = []string{
	"accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy", "storageClassName",
	"volumeAttributesClassName", "volumeMode",
}

// volumeImmutable: the volume itself, its mode, and the nodes that it can be used on once they are named.
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

// volumeSource is a field of the spec without what is no change: the type of a path on the host that is "" anyway.
func volumeSource(key string, spec map[string]any) any {
	source := read.Object(spec, key)
	if key != "hostPath" || source["type"] != "" {
		return spec[key]
	}
	return map[string]any{"path": source["path"]}
}

// volumeHealth: it is there, whether a claim uses it or not.
func volumeHealth(_, status map[string]any) (Health, string) {
	switch phase := read.Text(status, "phase"); phase {
	case "Available", "Bound", "Released":
		return Healthy, phase
	case "Failed":
		return Failed, "failed: " + cmp.Or(read.Text(status, "message"), read.Text(status, "reason"))
	}
	return Progressing, "pending"
}
