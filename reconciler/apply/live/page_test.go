package live

import (
	"testing"

	"github.com/accord-dev/accord/internal/golden"
)

// TestPage compares the reasons of a rejected dry-run with docs/concepts/delivery.md.
func TestPage(t *testing.T) {
	list, last := "", InvalidObject
	for _, reason := range []string{QuotaExceeded, AdmissionDenied, NoMatchForKind, ImmutableField, Forbidden, NamespaceMissing, FieldConflict} {
		list += ", `" + reason + "`"
	}
	golden.Quote(t, "../../../docs/concepts/delivery.md", "Reasons of `DryRunSucceeded` are "+list[2:]+" and `"+last+"`.")
}
