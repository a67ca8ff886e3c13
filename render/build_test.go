package render

import (
	"bytes"
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
		text, err := yaml.Marshal(o.Manifest.Get().Object)
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

// inMemory keeps its files in memory, as a snapshot does.
type inMemory struct{ fstest.MapFS }

func (m inMemory) ReadShared(name string) ([]byte, error) { return m.MapFS[name].Data, nil }

func TestTextIsNotCopied(t *testing.T) {
	manifests := "# first\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"
	files := fstest.MapFS{"a.yaml": {Data: []byte(manifests)}}
	objects, err := Build(inMemory{files}, Options{})
	require.NoError(t, err)
	require.Len(t, objects, 2)
	for _, o := range objects {
		at := bytes.Index(files["a.yaml"].Data, o.Text)
		require.GreaterOrEqual(t, at, 0)
		require.Same(t, &files["a.yaml"].Data[at], &o.Text[0])
	}
	require.Equal(t, manifests, string(files["a.yaml"].Data))
	copied, err := Build(files, Options{})
	require.NoError(t, err)
	require.Equal(t, objects, copied)
}
