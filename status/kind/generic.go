package kind

import (
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// generic is what is known about every other kind.
var generic = Kind{Health: genericHealth}

// genericHealth is kstatus: deletion, observedGeneration, Reconciling and Stalled, Ready. Beyond it, Available=False
// is not healthy where there is no Ready. An object that says nothing of itself is healthy as soon as it is there: it
// cannot be told from one that never will, and Karmada §6.6 and kstatus do the same.
func genericHealth(u *unstructured.Unstructured) (Health, string) {
	result, err := status.Compute(u)
	if err != nil {
		return Unknown, "its status cannot be read: " + err.Error()
	}
	switch result.Status {
	case status.CurrentStatus:
		ready, available := read.Condition(read.Status(u), "Ready"), read.Condition(read.Status(u), "Available")
		if ready == nil && read.Text(available, "status") == "False" {
			return Progressing, "not available: " + read.Why(available)
		}
		return Healthy, read.Why(ready)
	case status.FailedStatus:
		return Failed, result.Message
	case status.TerminatingStatus:
		return Progressing, "is being deleted"
	case status.InProgressStatus:
		return Progressing, result.Message
	}
	return Unknown, result.Message
}
