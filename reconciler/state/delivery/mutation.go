package delivery

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/jsonobject"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/mutation"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
	"github.com/accord-dev/accord/status"
)

// Compare compares the values of an observed object with the wanted ones, and returns the object with the verdict of package
// mutation, and the fields that differ. An object of the compared digest, generation and time of accord's entry keeps its result,
// unless the comparison is Full: a change of status costs no comparison. An object that drifted is not compared, because a repair
// follows.
func (b Base) Compare(u *unstructured.Unstructured, seen live.Object) (live.Object, []v1alpha1.MutatedField) {
	if b.Wanted == nil || seen.Digest != b.Wanted.Digest || !seen.Intact {
		return seen, nil
	}
	generation, settled := u.GetGeneration(), b.Before.Compared && b.Before.Digest == seen.Digest && !b.Before.Overwritten
	if settled && !b.Full && generation != 0 && generation == b.Generation && seen.AppliedAt == b.Before.AppliedAt {
		seen.Compared, seen.Mutated = true, b.Before.Mutated
		return seen, b.Mutated
	}
	planned := b.Wanted.Body.Bytes()
	if seen.OwnsPlannedOnly() && !b.Book.Retains(u.GroupVersionKind().GroupKind()) && jsonobject.Holds(planned, u.Object) {
		return seen.WithComparison(nil, "", false), nil // most objects; nothing is decoded
	}
	wanted := &unstructured.Unstructured{}
	if utiljson.Unmarshal(planned, &wanted.Object) != nil {
		return seen, nil // the API server rejects it, too
	}
	sent, err := b.Book.Retain(wanted, withoutManagers(u))
	if err != nil {
		return seen, nil // the next apply reports it
	}
	owners := ownership.Of(u)
	fields := mutation.Compare(sent.Object, u.Object, seen.Yielded, owners)
	known := settled && b.Before.Mutated && len(fields) > 0 && slices.Equal(fields, b.Mutated)
	more := ""
	if !seen.Exact || sent != wanted {
		more = seen.Beyond(sent.Object, u.Object, owners)
	}
	return seen.WithComparison(fields, more, known), fields
}

// withoutManagers returns a shallow copy without managedFields, which scripts do not get. Scripts change nothing in it.
func withoutManagers(u *unstructured.Unstructured) *unstructured.Unstructured {
	object := maps.Clone(u.Object)
	if metadata, ok := object["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		delete(metadata, "managedFields")
		object["metadata"] = metadata
	}
	return &unstructured.Unstructured{Object: object}
}

// setMutated records the mutated fields of an object; none removes the record.
func (l *State) setMutated(id manifest.ID, fields []v1alpha1.MutatedField) {
	l.touch(id)
	switch {
	case len(fields) == 0:
		delete(l.Mutated, id)
	case l.Mutated == nil:
		l.Mutated = map[manifest.ID][]v1alpha1.MutatedField{id: fields}
	default:
		l.Mutated[id] = fields
	}
}

// mutatedRetry is the time between two attempts to apply mutated objects again without a change in Git.
const mutatedRetry = 10 * time.Minute

// RetriesMutated reports whether mutated objects have to be applied again now, and records the attempt. The first attempt is
// one interval after the first call.
func (l *State) RetriesMutated(now time.Time) bool {
	if len(l.Mutated) == 0 {
		l.mutatedTried = time.Time{}
		return false
	}
	if l.mutatedTried.IsZero() {
		l.mutatedTried = now
	}
	if now.Sub(l.mutatedTried) < mutatedRetry {
		return false
	}
	l.mutatedTried = now
	return true
}

// MutatedIn returns the mutated fields of one object. Values that somebody else applied as accord are drift.
func (l *State) MutatedIn(id manifest.ID) []v1alpha1.MutatedField {
	fields := l.Mutated[id]
	if len(fields) == 0 || l.overwritten(id) {
		return nil
	}
	return fields
}

func (l *State) overwritten(id manifest.ID) bool {
	seen, _ := l.Live.Get(id)
	return seen.Overwritten
}

// MutatedFields returns the mutated fields of the objects that have the wanted version, sorted.
func (l *State) MutatedFields() []v1alpha1.MutatedField {
	var all []v1alpha1.MutatedField
	for id, fields := range l.Mutated {
		if r, there := l.Reports.Get(id); there && r.Digest == l.WantedDigest(id) && !l.overwritten(id) {
			for _, f := range fields {
				f.Object = id.String()
				all = append(all, f)
			}
		}
	}
	slices.SortFunc(all, func(a, b v1alpha1.MutatedField) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Field, b.Field))
	})
	return all
}

// Note records an observed object, its mutated fields and its report.
func (l *State) Note(id manifest.ID, seen live.Object, mutated []v1alpha1.MutatedField, report status.Report) {
	l.Proven.Note(id, seen)
	l.setLive(id, seen, report)
	l.setMutated(id, mutated)
}

func (l *State) setLive(id manifest.ID, seen live.Object, report status.Report) {
	l.Live.Put(id, seen)
	l.Reports.Put(id, report)
	l.noteUnschedulable(id, report)
	l.touch(id)
}

// NoteDrift records an object that differs from the wanted one while a delivery is under way.
func (l *State) NoteDrift(id manifest.ID) {
	if l.Drifted == nil {
		l.Drifted = map[manifest.ID]bool{}
	}
	l.Drifted[id] = true
}

// Forget drops an object that is not on the cluster any more.
func (l *State) Forget(id manifest.ID) {
	l.Live.Delete(id)
	l.Reports.Delete(id)
	delete(l.Mutated, id)
	delete(l.unschedulable, id)
	l.touch(id)
}
