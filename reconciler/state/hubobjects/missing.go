package hubobjects

import (
	"strconv"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// HideMissing keeps a Release from being done before the hub has the records of its objects.
func (r *Records) HideMissing(all []status.DeliveryState) {
	n := r.Missing()
	if n == 0 || len(all) == 0 || all[0].State != v1alpha1.Healthy {
		return
	}
	all[0] = status.DeliveryState{
		Cluster: all[0].Cluster, State: v1alpha1.Progressing, Reason: status.Progressing,
		Message: "records of " + strconv.Itoa(n) + " objects are still to be written to the hub",
	}
}
