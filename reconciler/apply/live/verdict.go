package live

import (
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
)

// Comparison is the result of comparing the values of an object with the planned ones. Package mutation compares.
type Comparison struct {
	// Compared is set if the values were compared, and Mutated if they differ although accord owns their fields.
	Compared, Mutated bool
	// Overwritten is set if somebody else applied other values under accord's field manager. The object is not Intact then.
	Overwritten bool
	// AppliedAt is the time of accord's entry in metadata.managedFields, in seconds since 1970: an apply that changes nothing
	// keeps it.
	AppliedAt int64
	// Written is the Version right after the last write of this process, 0 for none.
	Written uint64
}

// WithComparison returns the object with the result of a comparison: fields are the planned fields with other values, more the
// fields that only the cluster has under accord's field manager (Beyond), and known is set if the same fields differed in the
// answer to accord's own write.
//
//	the object is ...                                             it is
//	the answer to accord's own write, or differs as that did      Mutated: admission changes it at every write
//	newer than accord's own write                                 Overwritten: another client applied it as accord
//	older, or this process never wrote it                         Mutated: the next apply decides
func (s Object) WithComparison(fields []v1alpha1.MutatedField, more string, known bool) Object {
	s.Compared, s.Mutated = true, len(fields) > 0 || more != ""
	if !s.Mutated || known || s.Accepted.Digest != s.Digest || s.Written == 0 || s.Version <= s.Written {
		return s
	}
	var paths []string
	for _, f := range fields {
		paths = append(paths, f.Field)
	}
	if more != "" {
		paths = append(paths, more)
	}
	s.Overwritten, s.Intact = true, false
	s.ChangedBy, s.ChangedFields = v1alpha1.FieldManager, strings.Join(paths, ", ")
	return s
}

// Beyond describes the fields of the live object that accord owns and did not apply; empty if its last apply has them too.
func (s Object) Beyond(applied, live map[string]any, owners ownership.Managers) string {
	if s.accepted() || applied["apiVersion"] != live["apiVersion"] {
		return ""
	}
	return ownership.Describe(owners.Ours().Beyond(applied, live))
}

// OwnsPlannedOnly reports whether Beyond is empty for the planned object, without a comparison.
func (s Object) OwnsPlannedOnly() bool { return s.Exact || s.accepted() }

// accepted reports whether accord owns the fields that it owned after its last apply of this version.
func (s Object) accepted() bool {
	return s.Accepted.Digest == s.Digest && s.Accepted.Fields == s.Fields
}
