package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/dump"
)

// FuzzRun: whatever can be planned can be reviewed, every finding says where, what and how bad, and the order of the input
// does not matter to a second look.
func FuzzRun(f *testing.F) {
	for _, c := range golden.Cases(f, "testdata/*.txtar") {
		f.Add(c.Text())
	}
	codes := map[string]bool{}
	for _, c := range check.All() {
		codes[c.Code] = true
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := dump.Read(text)
		if err != nil {
			check.Mistakes(err)
			return
		}
		plan, err := propagate.New(in)
		if err != nil {
			check.Mistakes(err)
			return
		}
		found := check.Run(in, plan)
		for _, x := range found {
			require.True(t, codes[x.Code], x.Code)
			require.NotEmpty(t, x.At.Path)
			require.NotEmpty(t, x.Severity)
			require.NotEmpty(t, x.Message)
		}
		require.Equal(t, found, check.Run(in, plan))
	})
}
