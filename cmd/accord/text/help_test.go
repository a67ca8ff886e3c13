package text

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReflow(t *testing.T) {
	const written = `Show the effect of a change
on every cluster, before it is merged.

KIND    MEANS
object  one manifest
  accord plan --base origin/main --head HEAD
- an item of a list that is longer than a line
The end of a text that is long.`
	require.Equal(t, `Show the effect of a
change on every
cluster, before it
is merged.

KIND    MEANS
object  one manifest
  accord plan --base origin/main --head HEAD
- an item of a list that is longer than a line
The end of a text
that is long.`, reflow(written, 20))
	require.Equal(t, "Show the effect of a change on every cluster, before it is merged.", strings.Split(reflow(written, 100), "\n")[0])
	require.Equal(t, "one\n"+strings.Repeat("x", 30)+"\ntwo", reflow("one "+strings.Repeat("x", 30)+" two", 20), "a long word is not split")
	require.Empty(t, reflow("", 20))
}

func TestReflowKeepsColumns(t *testing.T) {
	require.Equal(t, `  --release  they stay, and leave removes the marks
             and the inventory
- a server-side dry-run of every object that the
  switch changes`, reflow(`  --release  they stay, and leave removes the marks and the inventory
- a server-side dry-run of every object that the switch changes`, 54))
}

func TestHelpWidthWithoutATerminal(t *testing.T) {
	require.Equal(t, 100, HelpWidth(&bytes.Buffer{}))
	file, err := os.Create(filepath.Join(t.TempDir(), "help"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	require.Equal(t, 100, HelpWidth(SafeWriter(file)))
}

func TestWrapFlags(t *testing.T) {
	const written = `Usage:
  accord plan --all --base origin/main --head HEAD --post --fail-on error
Flags:
  -o, --output format   output: text, json
      --all             every Federation with a source in this repository
`
	require.Equal(t, `Usage:
  accord plan --all --base origin/main --head HEAD --post --fail-on error
Flags:
  -o, --output format   output: text, json
      --all             every Federation with a source in this
                        repository
`, wrapFlags(written, 64))
	require.Equal(t, `Usage:
  accord plan --all --base origin/main --head HEAD --post --fail-on error
Flags:
  -o, --output format   output: text, json
      --all
            every Federation with a source in this
            repository
`, wrapFlags(written, 50))
	require.Equal(t, written, wrapFlags(written, 100))
}
