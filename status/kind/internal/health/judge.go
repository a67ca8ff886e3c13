package health

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// rule returns the health of an object that is neither being deleted nor unobserved.
type rule func(spec, status map[string]any) (Health, string)

// Observed returns the Health of a kind whose controller always reports status.observedGeneration.
func Observed(r rule) func(*unstructured.Unstructured) (Health, string) { return judge(r, true) }

// Present returns the Health of a kind whose controller may not report it.
func Present(r rule) func(*unstructured.Unstructured) (Health, string) { return judge(r, false) }

func judge(r rule, observes bool) func(*unstructured.Unstructured) (Health, string) {
	return func(u *unstructured.Unstructured) (Health, string) {
		if h, message := Unsettled(u, observes); h != "" {
			return h, message
		}
		spec, _ := u.Object["spec"].(map[string]any)
		return r(spec, read.Status(u))
	}
}

// Unsettled returns the health of an object that is being deleted, or whose controller has not observed its spec: its
// counters refer to something else. It returns "" for any other object. Observes is set for a kind whose controller always
// reports status.observedGeneration.
func Unsettled(u *unstructured.Unstructured, observes bool) (Health, string) {
	if u.GetDeletionTimestamp() != nil {
		return Progressing, "is being deleted"
	}
	seen, has := read.Number(read.Status(u)["observedGeneration"])
	if (has || observes) && seen < u.GetGeneration() {
		return Progressing, fmt.Sprintf("its controller has not observed generation %d yet", u.GetGeneration())
	}
	return "", ""
}
