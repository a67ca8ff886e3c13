package render

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite the wanted output of the golden files")

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
	cases, err := filepath.Glob("testdata/build/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			require.Equal(t, "want", archive.Files[len(archive.Files)-1].Name)
			last := &archive.Files[len(archive.Files)-1]
			got := describe(tree(archive.Files[:len(archive.Files)-1]), directory(archive.Comment))
			if *update {
				last.Data = []byte(got)
				require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o644))
			}
			require.Equal(t, string(last.Data), got)
		})
	}
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
