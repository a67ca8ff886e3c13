package delivery

import "github.com/accord-dev/accord/propagate"

// ControlChanged reports whether a plan has other control manifests than the active plan; nil before the first, and after a restart:
// then the recorded Deliveries have their digest.
func ControlChanged(active *propagate.Plan, all map[string]*State, next *propagate.Plan) bool {
	if active != nil {
		return active.Control() != next.Control()
	}
	for _, l := range all {
		if l.Delivery.Spec.ControlDigest != next.Control() {
			return true
		}
	}
	return len(all) == 0 && next.Control() != ""
}
