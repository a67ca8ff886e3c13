package live

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestHostileComparison(t *testing.T) {
	other := []v1alpha1.MutatedField{{Field: "spec.a", Applied: "1", Live: "2"}, {Field: "spec.b"}}
	ours := Object{Digest: "d1", Intact: true, Version: 8, Comparison: Comparison{Written: 7}, Accepted: Accepted{Digest: "d1"}}
	for name, c := range map[string]struct {
		change               func(*Object)
		fields               []v1alpha1.MutatedField
		more                 string
		known                bool
		mutated, overwritten bool
		changed              string
	}{
		"as applied":                          {},
		"changed after accord's write":        {fields: other, mutated: true, overwritten: true, changed: "spec.a, spec.b"},
		"a field more":                        {more: "spec.c", mutated: true, overwritten: true, changed: "spec.c"},
		"the answer to accord's write":        {fields: other, mutated: true, change: func(o *Object) { o.Version = 7 }},
		"older than accord's write":           {fields: other, mutated: true, change: func(o *Object) { o.Version = 6 }},
		"as the answer differed":              {fields: other, mutated: true, known: true},
		"not written by this process":         {fields: other, mutated: true, change: func(o *Object) { o.Written = 0 }},
		"this process wrote an older version": {fields: other, mutated: true, change: func(o *Object) { o.Accepted.Digest = "d0" }},
	} {
		t.Run(name, func(t *testing.T) {
			seen := ours
			if c.change != nil {
				c.change(&seen)
			}
			got := seen.WithComparison(c.fields, c.more, c.known)
			require.True(t, got.Compared)
			require.Equal(t, []bool{c.mutated, c.overwritten, !c.overwritten}, []bool{got.Mutated, got.Overwritten, got.Intact})
			require.Equal(t, c.changed, got.ChangedFields)
			if c.overwritten {
				require.Equal(t, "accord", got.ChangedBy)
			}
		})
	}
}
