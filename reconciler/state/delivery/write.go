package delivery

import "github.com/accord-dev/accord/api/v1alpha1"

// Write is a write of the Delivery to the hub. With both parts, one request writes them.
type Write struct {
	Delivery     *v1alpha1.Delivery // a copy
	Spec, Status bool
}

// TakeWrite returns the next write of the Delivery; an empty one if the hub has everything. A status about the spec before is not worth
// a write, and waits for the spec.
func (l *State) TakeWrite() (w Write) {
	switch {
	case l.SpecDirty:
		w.Spec, w.Status = true, l.StatusDirty && l.Delivery.Generation > 0 && l.Delivery.Status.ObservedGeneration == l.Generation()
	case l.StatusDirty:
		w.Status = true
	default:
		return w
	}
	l.StatusDirty = l.StatusDirty && !w.Status
	w.Delivery = l.Delivery.DeepCopy()
	return w
}

// Assign replaces the spec that the hub gets. If the hub did not get the spec before, the new one gets the generation that the status
// was computed for: from now on the status does not name that generation.
func (l *State) Assign(next *v1alpha1.Delivery) {
	known := l.Delivery
	next.Status, next.Generation, next.UID = known.Status, known.Generation, known.UID
	if known.Status.ObservedGeneration > known.Generation {
		next.Status = *known.Status.DeepCopy()
		next.Status.ObservedGeneration = known.Generation
		for i := range next.Status.Conditions {
			next.Status.Conditions[i].ObservedGeneration = known.Generation
		}
	}
	l.Delivery, l.SpecDirty = next, true
}

// Acknowledge takes over the answer of the hub to a write of the spec. It reports whether somebody deleted the Delivery before, and with it
// an inventory that could not be read.
func (l *State) Acknowledge(o *v1alpha1.Delivery) (dropped bool) {
	if l.Delivery.Spec != o.Spec { // a newer spec follows
		l.Delivery.Generation = o.Generation
		return false
	}
	dropped = l.Delivery.UID != "" && l.Delivery.UID != o.UID && l.Recreated()
	o.Status = l.Delivery.Status // the newest status may not be written yet
	l.Delivery, l.SpecDirty = o, false
	return dropped
}
