package live

import (
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

// Object is what is kept of one live object.
type Object struct {
	GVK schema.GroupVersionKind
	UID types.UID
	// Version is the resourceVersion, which an API server counts up; 0 for one that is no number.
	Version uint64
	// Digest is the annotation accord.dev/digest.
	Digest string
	// Intact says that every field of the wanted object is still ours, or Left. It means nothing if Digest is not the wanted one.
	Intact bool
	// ChangedBy is the field manager that made it not intact, as far as can be told.
	ChangedBy string
	// ChangedFields are the fields that are not ours any more because of that; at most a few.
	ChangedFields string
	Labels        map[string]string
	// Preserve and Adopted are the annotations of these names.
	Preserve, Adopted bool
	// Deleting says that it is on its way out and waits for finalizers.
	Deleting bool
	// Fields is a hash of the set of fields that we own.
	Fields uint64
	// Yielded are the fields of the wanted object that the member has set and owns. They are nobody's drift.
	Yielded []ownership.Yielded
	// Accepted is what a delivery of ours left there last.
	Accepted Accepted
}

// Accepted is the answer to one of our applies. Where the set of fields that we own cannot be matched with the object
// that we applied (the API server may have dropped a field it does not know), it is what shows that nobody else was
// at it.
type Accepted struct {
	Digest string
	Fields uint64
	// Yielded are the paths of what was left out of it, sorted as they are in Yields, with commas between them.
	Yielded string
}

// of says whether the answer was to the apply that left this object.
func (a Accepted) of(s Object) bool {
	return a.Digest == s.Digest && a.Fields == s.Fields && ownership.Covers(s.Yielded, a.Yielded)
}

// Observe is what there is to know of a live object. want is what should be there, nil for nothing; before is what was
// known of the object, the zero value for nothing. proven is what Proven has of it.
func Observe(u *unstructured.Unstructured, want *propagate.Rendered, before Object, proven Accepted) Object {
	annotations := u.GetAnnotations()
	s := Object{
		GVK:      u.GroupVersionKind(),
		UID:      u.GetUID(),
		Version:  ParseVersion(u.GetResourceVersion()),
		Digest:   annotations[v1alpha1.DigestAnnotation],
		Labels:   u.GetLabels(),
		Preserve: annotations[v1alpha1.PreserveAnnotation] == "true",
		Adopted:  annotations[v1alpha1.AdoptedAnnotation] == "true",
		Deleting: u.GetDeletionTimestamp() != nil,
		Accepted: before.Accepted,
	}
	managers := ownership.Of(u)
	s.Fields = managers.Ours().Hash()
	if want == nil || s.Digest != want.Digest {
		if want != nil && s.Accepted.Digest == want.Digest {
			s.ChangedBy = managers.ChangedBy(nil)
		}
		return s
	}
	s.Yielded = managers.Yielded(ownership.Present(want.Yields, want.JSON), u.Object)
	if s.Intact = s.Accepted.of(s) || proven == s.proof(); s.Intact {
		return s
	}
	if lost := managers.Ours().Missing(want.JSON, s.Yielded); len(lost) > 0 {
		s.ChangedBy, s.ChangedFields = managers.ChangedBy(lost), ownership.Describe(lost)
	} else {
		s.Intact = true
	}
	return s
}

// Proven are sets of fields that were found to be all that we applied, the last one of every object. An object is the same on
// many clusters, and to compare it once is enough.
type Proven map[manifest.ID]Accepted

// Note remembers what was found of an object that is as it was applied.
func (p Proven) Note(id manifest.ID, s Object) {
	if s.Intact && !s.Accepted.of(s) {
		p[id] = s.proof()
	}
}

// proof is what an object that is intact proves.
func (s Object) proof() Accepted {
	return Accepted{Digest: s.Digest, Fields: s.Fields, Yielded: ownership.Paths(s.Yielded)}
}

// yieldsAllowed says whether all that is left to the member still may be: the replicas of an autoscaler that left Git may not.
func (s Object) yieldsAllowed(yields []string) bool { return s.firstNotYielded(yields) < 0 }

// firstNotYielded is the first of what is left that may not be any more; -1 for none.
func (s Object) firstNotYielded(yields []string) int {
	return slices.IndexFunc(s.Yielded, func(l ownership.Yielded) bool { return !slices.Contains(yields, l.Path) })
}

// DriftManager is the manager whose change is repaired.
func (s Object) DriftManager(yields []string) string {
	if i := s.firstNotYielded(yields); s.ChangedBy == "" && i >= 0 {
		return s.Yielded[i].Manager
	}
	return s.ChangedBy
}

// maxMessage is how long a message with what is left in it may be, in bytes.
const maxMessage = 256

// AppendYielded adds to a sentence about the object what of it is left to the member, as far as there is room for it.
func (s Object) AppendYielded(message string) string {
	for _, l := range s.Yielded {
		more := l.String()
		if message != "" {
			more = "; " + more
		}
		if len(message)+len(more) > maxMessage {
			break
		}
		message += more
	}
	return message
}

// Answer is what an API server answered to an apply of ours.
type Answer struct {
	Accepted
	// Version is the resourceVersion that the object has by it, as in Seen.
	Version uint64
}

// settled is an object of which an apply was accepted. The answer is what is known of it as long as the watch has not told
// of what is as new: who compares before that finds nothing to write again.
func (s Object) settled(a Answer) Object {
	s.Accepted = a.Accepted
	told := s.Version >= a.Version
	if !told {
		s.Version, s.Digest, s.Fields, s.Yielded = a.Version, a.Digest, a.Fields, a.left(s.Yielded)
	}
	if !told || a.of(s) {
		s.Intact, s.ChangedBy, s.ChangedFields = true, "", ""
	}
	return s
}

// left are the fields that were left out of what was applied; before says who has those that were left before.
func (a Accepted) left(before []ownership.Yielded) []ownership.Yielded {
	var all []ownership.Yielded
	for path := range strings.SplitSeq(a.Yielded, ",") {
		if i := slices.IndexFunc(before, func(l ownership.Yielded) bool { return l.Path == path }); i >= 0 {
			all = append(all, before[i])
		} else if path != "" {
			all = append(all, ownership.Yielded{Path: path})
		}
	}
	return all
}

// ParseVersion reads a resourceVersion.
func ParseVersion(text string) uint64 {
	version, _ := strconv.ParseUint(text, 10, 64) // of another form: it is as new as nothing
	return version
}

// ObserveMetadata is what the metadata alone says of an object.
func ObserveMetadata(gvk schema.GroupVersionKind, found *metav1.PartialObjectMetadata) Object {
	all := ownership.OfEntries(found.ManagedFields)
	return Object{
		GVK: gvk, UID: found.UID, Version: ParseVersion(found.ResourceVersion),
		Digest:    found.Annotations[v1alpha1.DigestAnnotation],
		Labels:    found.Labels,
		Preserve:  found.Annotations[v1alpha1.PreserveAnnotation] == "true",
		Adopted:   found.Annotations[v1alpha1.AdoptedAnnotation] == "true",
		Deleting:  found.DeletionTimestamp != nil,
		Fields:    all.Ours().Hash(),
		ChangedBy: all.ChangedBy(nil),
	}
}
