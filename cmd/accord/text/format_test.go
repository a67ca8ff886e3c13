package text

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefectD16EncodeDoesNotEscapeHTML(t *testing.T) {
	v := map[string]string{"image": "web<1>&2"}
	var json, yaml strings.Builder
	require.NoError(t, EncodeForeign(&json, AsJSON, v))
	require.Equal(t, "{\n  \"image\": \"web<1>&2\"\n}\n", json.String())
	require.NoError(t, EncodeForeign(&yaml, AsYAML, v))
	require.Equal(t, "image: web<1>&2\n", yaml.String())
	line, err := EncodeLine(v)
	require.NoError(t, err)
	require.Equal(t, `{"image":"web<1>&2"}`, line)
}

var encodesJSON = regexp.MustCompile(`\bjson\.(Marshal|MarshalIndent|NewEncoder)\(`)

// TestDefectD16CommandsEncodeWithThisPackage finds JSON that a command encodes itself, with HTML escapes.
func TestDefectD16CommandsEncodeWithThisPackage(t *testing.T) {
	read := 0
	allowed := map[string]bool{
		"text/format.go":         true,
		"clusterimport/spool.go": true, // a file that accord itself reads again
		"join/revoke.go":         true, // the patch of a request
		"hub/reconcile.go":       true, // the patch of a request
		"recovery/fence.go":      true, // the patch of a request
		"members/fanout":         true, // answers of servers, which kubectl's packages read
		"members/guard":          true,
		"members/merge":          true,
	}
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		read++
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		if !allowed[name] && !allowed[filepath.ToSlash(filepath.Dir(name))] {
			require.Empty(t, encodesJSON.FindAllString(string(source), -1), "%s: use text.Encode or text.EncodeLine", name)
		}
		return err
	}))
	require.Greater(t, read, 50)
}
