package apply

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

// Live is all that carries our label on one cluster. It has to be complete for every kind that is wanted or in the
// inventory: what is not in it is taken not to be there, or not to be ours.
type Live map[manifest.ID]Seen

// Seen is what is kept of one live object.
type Seen struct {
	GVK schema.GroupVersionKind
	UID types.UID
	// Digest is the annotation accord.dev/digest.
	Digest string
	// Intact says that every field of the wanted object is still ours. It means nothing if Digest is not the wanted one.
	Intact bool
	// ChangedBy is the field manager that made it not intact, as far as can be told.
	ChangedBy string
	Labels    map[string]string
	// Preserve and Adopted are the annotations of these names.
	Preserve, Adopted bool
	// Deleting says that it is on its way out and waits for finalizers.
	Deleting bool
	// Fields is a hash of the set of fields that we own.
	Fields uint64
	// Accepted is what a delivery of ours left there last.
	Accepted Accepted
}

// Accepted is the answer to one of our applies. Where the set of fields that we own cannot be matched with the object
// that we applied (the API server may have dropped a field it does not know), it is what shows that nobody else was
// at it.
type Accepted struct {
	Digest string
	Fields uint64
}

// Observe is what there is to know of a live object. want is what should be there, nil for nothing; before is what was
// known of the object, the zero value for nothing.
func Observe(u *unstructured.Unstructured, want *propagate.Rendered, before Seen) Seen {
	annotations := u.GetAnnotations()
	s := Seen{
		GVK:      u.GroupVersionKind(),
		UID:      u.GetUID(),
		Digest:   annotations[v1alpha1.DigestAnnotation],
		Labels:   u.GetLabels(),
		Preserve: annotations[v1alpha1.PreserveAnnotation] == "true",
		Adopted:  annotations[v1alpha1.AdoptedAnnotation] == "true",
		Deleting: u.GetDeletionTimestamp() != nil,
		Accepted: before.Accepted,
	}
	managers := managersOf(u)
	s.Fields = managers.ours().hash()
	switch {
	case want == nil || s.Digest != want.Digest:
	case s.Accepted == Accepted{s.Digest, s.Fields}:
		s.Intact = true
	default:
		lost := managers.ours().lacks(want.JSON)
		s.Intact = len(lost) == 0
		if !s.Intact {
			s.ChangedBy = managers.culprit(lost)
		}
	}
	return s
}

// Settle takes over what a delivery left. The caller calls it with Outcome.Accepted, whether or not the watch has told
// of the new state already.
func (l Live) Settle(accepted map[manifest.ID]Accepted) {
	for id, a := range accepted {
		s, ok := l[id]
		if !ok {
			continue // the watch has not told of it; when it does, the fields are compared
		}
		s.Accepted = a
		if a == (Accepted{s.Digest, s.Fields}) {
			s.Intact, s.ChangedBy = true, ""
		}
		l[id] = s
	}
}
