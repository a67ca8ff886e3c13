package unacted

import (
	"testing"

	"github.com/accord-dev/accord/internal/golden"
)

// TestPage: docs/concepts/policies.md names each kind without effect.
func TestPage(t *testing.T) {
	for kind := range kinds {
		golden.Quote(t, "../../../docs/concepts/policies.md", kind.Kind)
	}
}
