package hunk

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind"
)

// Restarts reports whether a change of an object replaces running pods: its pod template differs after the API server's
// defaulting, and its update strategy replaces pods. A created or deleted object (nil) restarts none.
func Restarts(k kind.Kind, before, after *unstructured.Unstructured) bool {
	n, perNode := Restarted(k, before, after)
	return n > 0 || perNode
}

// Restarted returns how many running pods a change replaces. perNode reports one pod on every matching node, a number
// that only the cluster knows; n is 0 then. Replicas that the same change adds or removes do not count.
func Restarted(k kind.Kind, before, after *unstructured.Unstructured) (n int32, perNode bool) {
	if before == nil || after == nil || k.Template == nil || k.Replaces == nil {
		return 0, false
	}
	was, is := k.Template(before), k.Template(after)
	if was == nil || is == nil || kind.SamePods(was, is) {
		return 0, false
	}
	n, perNode = k.Replaces(after)
	if k.Replicas != nil {
		if running, counted := k.Replicas(before); counted {
			n = min(n, running)
		}
	}
	return n, perNode
}

// Immutable returns the immutable fields that differ, sorted. The API server rejects the change: the object must be
// recreated. Unset fields count as their defaults. The result is nil if no such field differs or one object is nil.
func Immutable(k kind.Kind, before, after *unstructured.Unstructured) []string {
	if before == nil || after == nil || k.Immutable == nil {
		return nil
	}
	return k.Immutable(before, after)
}
