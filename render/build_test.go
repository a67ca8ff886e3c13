package render

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/internal/golden"
)

// tree returns the files of an archive as a file system.
func tree(files []txtar.File) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, f := range files {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return fsys
}

// TestBuild runs testdata/build/*.txtar: a description with a line "dir: <directory>", the tree, and "want": the
// objects with their origins, or the error.
func TestBuild(t *testing.T) {
	golden.Run(t, "testdata/build/*.txtar", func(t *testing.T, c *golden.Case) {
		last := len(c.Files) - 1
		require.Equal(t, "want", c.Files[last].Name)
		c.Equal(t, "want", describe(tree(c.Files[:last]), directory(c.Comment)))
	})
}

func directory(comment []byte) string {
	for line := range strings.Lines(string(comment)) {
		if dir, ok := strings.CutPrefix(line, "dir: "); ok {
			return strings.TrimSpace(dir)
		}
	}
	return ""
}

// describe returns the result of Build as text.
func describe(fsys fs.FS, dir string) string {
	objects, err := Build(fsys, Options{Dir: dir})
	if err != nil {
		return "error\n" + err.Error() + "\n"
	}
	var b strings.Builder
	for _, o := range objects {
		text, err := yaml.Marshal(o.Manifest.Object)
		if err != nil {
			return err.Error()
		}
		has := ""
		if o.Text != nil {
			has = " (text)"
		}
		fmt.Fprintf(&b, "# %s %s%s\n%s", o.Origin, o.ID(), has, text)
	}
	return b.String()
}
