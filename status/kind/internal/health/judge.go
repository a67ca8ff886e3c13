package health

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// rule judges the health of an object that is not being deleted and, if its controller reports it, observed.
type rule func(spec, status map[string]any) (Health, string)

// Observed is the Health of a kind whose controller always reports status.observedGeneration.
func Observed(r rule) func(*unstructured.Unstructured) (Health, string) { return judge(r, true) }

// Present is the Health of a kind whose controller may not report it.
func Present(r rule) func(*unstructured.Unstructured) (Health, string) { return judge(r, false) }

// judge puts in front of r what holds for every kind: an object that is going away, or whose controller has not seen
// what is in its spec, is not healthy, and its counters are about something else.
func judge(r rule, observes bool) func(*unstructured.Unstructured) (Health, string) {
	return func(u *unstructured.Unstructured) (Health, string) {
		if u.GetDeletionTimestamp() != nil {
			return Progressing, "is being deleted"
		}
		status := read.Status(u)
		seen, has := read.Number(status["observedGeneration"])
		if (has || observes) && seen < u.GetGeneration() {
			return Progressing, fmt.Sprintf("its controller has not observed generation %d yet", u.GetGeneration())
		}
		spec, _ := u.Object["spec"].(map[string]any)
		return r(spec, status)
	}
}
