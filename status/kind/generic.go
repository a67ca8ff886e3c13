package kind

import (
	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/status/kind/internal/read"
)

// generic has the rules for every other kind.
var generic = Kind{Health: genericHealth}

// genericHealth is kstatus: deletion, observedGeneration, Reconciling and Stalled, Ready. Beyond kstatus,
// Available=False is not healthy if there is no Ready. An object that reports nothing is healthy as soon as it exists:
// it may never report anything, and Karmada §6.6 and kstatus do the same.
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
