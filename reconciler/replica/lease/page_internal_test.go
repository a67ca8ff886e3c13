package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
)

const page = "../../../docs/how-to/scale.md"

// TestPage compares docs/how-to/scale.md with the constants of this package.
func TestPage(t *testing.T) {
	o := New(Options{}).o
	require.Equal(t, []any{15 * time.Second, 10 * time.Second, 2 * time.Second}, []any{o.Duration, o.Deadline, o.Period})
	golden.Quote(t, page, "the others own them within two seconds")
	golden.Quote(t, page, "loses its clusters after 15 seconds. After 10 seconds it releases them itself")
}
