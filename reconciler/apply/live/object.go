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

// Object is the recorded part of one live object.
type Object struct {
	GVK schema.GroupVersionKind
	UID types.UID
	// Version is the resourceVersion, which an API server counts up, or 0 if it is no number.
	Version uint64
	// Digest is the annotation accord.dev/digest.
	Digest string
	// Intact is set if accord still owns every field of the planned object, except those that are Yielded. It is
	// only meaningful if Digest is the planned one.
	Intact bool
	// Exact is set if accord owns no field that the planned object does not have. It is only meaningful with Intact, and may be
	// false for an object that is as it was Accepted.
	Exact bool
	// ChangedBy is the field manager that took the lost fields, if it is known.
	ChangedBy string
	// ChangedFields names the first few lost fields.
	ChangedFields string
	Labels        map[string]string
	// Preserve and Adopted are the annotations of these names.
	Preserve, Adopted bool
	// Controller is the controller that owns the object, as "Deployment web", or empty.
	Controller string
	// Deleting is set if the object waits for its finalizers, since DeletedAt (seconds since 1970).
	Deleting  bool
	DeletedAt int64
	// Finalizer is the first finalizer, or empty. A Namespace has one in its spec.
	Finalizer string
	// Fields is a hash of the set of fields that accord owns.
	Fields ownership.Hash
	// Yielded are the planned fields that the member has set and owns. They are no drift.
	Yielded []ownership.Yielded
	// Accepted is the last apply that the API server accepted.
	Accepted Accepted
	Comparison
}

// Accepted identifies an accepted apply. It proves that nobody changed the object since, where the set of owned
// fields does not match the applied object: the API server may drop a field that it does not know.
type Accepted struct {
	Digest string
	Fields ownership.Hash
	// Yielded are the paths that the apply omitted, in the order of Yields, separated by commas.
	Yielded string
}

// of reports whether this apply left the object as it is.
func (a Accepted) of(s Object) bool {
	return a.Digest == s.Digest && a.Fields == s.Fields && ownership.Covers(s.Yielded, a.Yielded)
}

// Observe returns the Object of a live object. want is the planned object, nil for none; before is the last Object,
// zero for none; proven is its entry in Proven.
func Observe(u *unstructured.Unstructured, want *propagate.Rendered, before Object, proven Proof) Object {
	metadata, _ := u.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any) // without a copy
	digest, _ := annotations[v1alpha1.DigestAnnotation].(string)
	s := Object{
		GVK:      u.GroupVersionKind(),
		UID:      u.GetUID(),
		Version:  ParseVersion(u.GetResourceVersion()),
		Digest:   digest,
		Labels:   u.GetLabels(),
		Preserve: annotations[v1alpha1.PreserveAnnotation] == "true",
		Adopted:  annotations[v1alpha1.AdoptedAnnotation] == "true",
		Accepted: before.Accepted,

		Comparison: Comparison{Written: before.Written},
	}
	s.Deleting, s.DeletedAt, s.Finalizer = deletion(s.GVK, u)
	managers := ownership.Of(u)
	s.Fields, s.AppliedAt = managers.Ours().Hash(), managers.AppliedAt()
	s.Controller = controllerOf(u)
	if want == nil || s.Digest != want.Digest {
		if want != nil && s.Accepted.Digest == want.Digest {
			s.ChangedBy = managers.ChangedBy(nil)
		}
		return s
	}
	if len(want.Yields) > 0 {
		s.Yielded = managers.Yielded(ownership.Present(want.Yields, want.Body.Bytes()), u.Object)
	}
	if proven.Accepted == s.state() {
		s.Intact, s.Exact = true, proven.Exact
		return s
	}
	if s.Intact = s.Accepted.of(s); s.Intact {
		return s
	}
	lost, exact := managers.Ours().Match(want.Body.Bytes(), s.Yielded)
	if len(lost) > 0 {
		s.ChangedBy, s.ChangedFields = managers.ChangedBy(lost), ownership.Describe(lost)
	} else {
		s.Intact, s.Exact = true, exact
	}
	return s
}

// Proven has for every object the last set of fields that was compared with the planned object and matched. An
// object is the same on many clusters, so that one comparison is enough.
type Proven map[manifest.ID]Proof

// Proof is the result of the comparison of a set of fields with the planned object.
type Proof struct {
	Accepted
	Exact bool // as in Object
}

// Note records an object that is as it was applied.
func (p Proven) Note(id manifest.ID, s Object) {
	if s.Intact && !s.Accepted.of(s) {
		p[id] = Proof{s.state(), s.Exact}
	}
}

// state returns the version and the owned fields that the object has.
func (s Object) state() Accepted {
	return Accepted{Digest: s.Digest, Fields: s.Fields, Yielded: ownership.Paths(s.Yielded)}
}

// yieldsAllowed reports whether all yielded fields may still be yielded: the replicas of an autoscaler that left Git
// may not.
func (s Object) yieldsAllowed(yields []string) bool { return s.firstNotYielded(yields) < 0 }

// firstNotYielded returns the index of the first yielded field that may not be yielded any more, or -1.
func (s Object) firstNotYielded(yields []string) int {
	return slices.IndexFunc(s.Yielded, func(l ownership.Yielded) bool { return !slices.Contains(yields, l.Path) })
}

// DriftManager returns the field manager whose change is repaired, or "".
func (s Object) DriftManager(yields []string) string {
	if i := s.firstNotYielded(yields); s.ChangedBy == "" && i >= 0 {
		return s.Yielded[i].Manager
	}
	return s.ChangedBy
}

// maxMessage is the longest message with yielded fields, in bytes.
const maxMessage = 256

// AppendYielded appends the yielded fields to a message about the object, as far as there is room.
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

// Answer is the answer of an API server to an apply.
type Answer struct {
	Accepted
	// Version is the resourceVersion after the apply, as in Object.
	Version uint64
}

// settled returns the object after an accepted apply. The answer stands in until the watch delivers a version that
// is as new, so that a comparison before that finds nothing to apply again.
func (s Object) settled(a Answer) Object {
	s.Accepted, s.Written = a.Accepted, a.Version
	current := s.Version >= a.Version
	if !current {
		s.Version, s.Digest, s.Fields, s.Yielded = a.Version, a.Digest, a.Fields, a.yielded(s.Yielded)
		s.Compared, s.Mutated = false, false
	}
	s.Overwritten = s.Overwritten && s.Version > a.Version // else it is the answer itself
	if !current || a.of(s) && !s.Overwritten {
		s.Intact, s.ChangedBy, s.ChangedFields = true, "", ""
	}
	return s
}

// yielded returns the fields that the apply omitted; before has their managers.
func (a Accepted) yielded(before []ownership.Yielded) []ownership.Yielded {
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

// ParseVersion returns a resourceVersion as a number, or 0.
func ParseVersion(text string) uint64 {
	version, _ := strconv.ParseUint(text, 10, 64) // of another form: it is as new as nothing
	return version
}

// ObserveMetadata returns the Object of metadata alone.
func ObserveMetadata(gvk schema.GroupVersionKind, found *metav1.PartialObjectMetadata) Object {
	all := ownership.OfEntries(found.ManagedFields)
	s := Object{
		GVK: gvk, UID: found.UID, Version: ParseVersion(found.ResourceVersion),
		Digest:    found.Annotations[v1alpha1.DigestAnnotation],
		Labels:    found.Labels,
		Preserve:  found.Annotations[v1alpha1.PreserveAnnotation] == "true",
		Adopted:   found.Annotations[v1alpha1.AdoptedAnnotation] == "true",
		Fields:    all.Ours().Hash(),
		ChangedBy: all.ChangedBy(nil),

		Controller: controllerOf(found),
	}
	s.Deleting, s.DeletedAt, s.Finalizer = deletion(gvk, found)
	return s
}

// Applied reports whether accord applied the object: anybody can copy the label to an object of theirs.
func (s Object) Applied() bool { return s.Fields != (ownership.Hash{}) }

// IsStranger reports whether an object with accord's label is not accord's: another client created it, or a controller
// did. accord never deletes it.
func (s Object) IsStranger() bool { return !s.Applied() || s.Controller != "" }

func controllerOf(obj metav1.Object) string {
	owner := metav1.GetControllerOfNoCopy(obj)
	if owner == nil {
		return ""
	}
	return owner.Kind + " " + owner.Name
}

// deletion returns whether an object is being deleted, since when, and its first finalizer.
func deletion(gvk schema.GroupVersionKind, obj metav1.Object) (deleting bool, at int64, finalizer string) {
	if gvk.GroupKind() == (schema.GroupKind{Kind: "Namespace"}) {
		finalizer = "kubernetes"
	}
	if all := obj.GetFinalizers(); len(all) > 0 {
		finalizer = all[0]
	}
	if t := obj.GetDeletionTimestamp(); t != nil {
		return true, t.Unix(), finalizer
	}
	return false, 0, finalizer
}
