package kwok

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStagesAndConstantAgreeOnTheBadTag(t *testing.T) {
	quoted := `":` + BadTag + `"`
	require.Positive(t, bytes.Count(stages, []byte(quoted)))
	for line := range strings.Lines(string(stages)) {
		if strings.Contains(line, "endswith") || strings.Contains(line, "hasSuffix") {
			require.Contains(t, line, quoted)
		}
	}
}
