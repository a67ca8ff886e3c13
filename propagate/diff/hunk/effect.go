package hunk

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind"
)

// Restarts says whether running pods are replaced because an object of the kind changes from before to after: its pod
// template differs after the API server's defaulting, and its strategy replaces pods by itself. An object that comes or
// goes (nil) restarts nothing.
func Restarts(k kind.Kind, before, after *unstructured.Unstructured) bool {
	n, perNode := Restarted(k, before, after)
	return n > 0 || perNode
}

// Restarted is how many running pods are replaced. perNode says that it is one on every node the object is for, a number
// that only the cluster knows; n is 0 then. Replicas that are added or taken away by the same change do not count.
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

// Immutable are the fields, sorted, in which after differs from before although the API server refuses to change them:
// the object has to be deleted and made again. Defaults count as if they were written down. Nil if there is none, and if
// one of the two is nil.
func Immutable(k kind.Kind, before, after *unstructured.Unstructured) []string {
	if before == nil || after == nil || k.Immutable == nil {
		return nil
	}
	return k.Immutable(before, after)
}
