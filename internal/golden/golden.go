// Package golden compares output with files: cases in testdata/*.txtar, which have a description, the input and the
// wanted output, and generated pages of docs. go test -update writes these files; read the difference before you commit
// it. Only tests import this package.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the wanted parts of testdata/*.txtar, and generated pages")

// Update reports whether tests write the wanted files.
func Update() bool { return *update }

// Case is one file of testdata.
type Case struct {
	*txtar.Archive
	Name string // of the file, without extension
	path string
}

// Run calls test for each case, in a subtest with its name. pattern is that of Cases.
func Run(t *testing.T, pattern string, test func(*testing.T, *Case)) {
	t.Helper()
	for _, c := range Cases(t, pattern) {
		t.Run(c.Name, func(t *testing.T) { test(t, c) })
	}
}

// Cases reads the files that match a pattern, such as "testdata/*.txtar". It fails when there are none.
func Cases(t testing.TB, pattern string) []*Case {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all := make([]*Case, len(paths))
	for i, path := range paths {
		all[i] = Read(t, path)
	}
	return all
}

// Read reads one case.
func Read(t testing.TB, path string) *Case {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	require.NoError(t, err)
	require.NotEmpty(t, archive.Comment, "%s: a case begins with a description", path)
	return &Case{Archive: archive, Name: strings.TrimSuffix(filepath.Base(path), ".txtar"), path: path}
}

// Text returns the whole case, as in its file.
func (c *Case) Text() []byte { return txtar.Format(c.Archive) }

// Part returns the content of a part; nil when the case does not have it.
func (c *Case) Part(name string) []byte {
	for _, f := range c.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// Equal requires a part of the case to be got; a missing part is empty. With -update it writes the part.
func (c *Case) Equal(t testing.TB, part, got string) {
	t.Helper()
	if *update && string(c.Part(part)) != got {
		c.set(part, []byte(got))
		require.NoError(t, os.WriteFile(c.path, c.Text(), 0o644))
	}
	require.Equal(t, string(c.Part(part)), got)
}

// set replaces a part, or adds it as the last one.
func (c *Case) set(part string, data []byte) {
	for i := range c.Files {
		if c.Files[i].Name == part {
			c.Files[i].Data = data
			return
		}
	}
	c.Files = append(c.Files, txtar.File{Name: part, Data: data})
}

// File requires a generated file to be got. With -update it writes the file; command is the go test command for that.
func File(t testing.TB, path, got, command string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(written), got, "%s is stale: %s", path, command)
}

// Quote fails unless a page of docs has a text, whatever its line breaks. A test that derives the text from constants or from
// output keeps the page current.
func Quote(t testing.TB, page, text string) {
	t.Helper()
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if !strings.Contains(flat(string(content)), flat(text)) {
		t.Errorf("%s lacks %q", page, text)
	}
}
