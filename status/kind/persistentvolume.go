package kind

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var persistentVolume = Kind{
	Health:    present(volumeHealth),
	Reflect:   keepPhase,
	Aggregate: worstPhase("Failed", "Pending", "Available", "Bound", "Released"), // Karmada §6.5
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
	changed := fixed{"spec.volumeMode": "Filesystem"}.changed(before, after)
	was, is := object(before.Object, "spec"), object(after.Object, "spec")
	if was["nodeAffinity"] != nil && !same(was["nodeAffinity"], is["nodeAffinity"]) {
		changed = append(changed, "spec.nodeAffinity")
	}
	for _, key := range keys(was, is) {
		if !slices.Contains(volumeFields, key) && !same(volumeSource(key, was), volumeSource(key, is)) {
			changed = append(changed, "spec."+key)
		}
	}
	slices.Sort(changed)
	return changed
}

// volumeSource is a field of the spec without what is no change: the type of a path on the host that is "" anyway.
func volumeSource(key string, spec map[string]any) any {
	source := object(spec, key)
	if key != "hostPath" || source["type"] != "" {
		return spec[key]
	}
	return map[string]any{"path": source["path"]}
}

// volumeHealth: it is there, whether a claim uses it or not.
func volumeHealth(_, status map[string]any) (Health, string) {
	switch phase := text(status, "phase"); phase {
	case "Available", "Bound", "Released":
		return Healthy, phase
	case "Failed":
		return Failed, "failed: " + cmp.Or(text(status, "message"), text(status, "reason"))
	}
	return Progressing, "pending"
}
