package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	validation "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/cmd/accord/text"
	"github.com/accord-dev/accord/internal/golden"
)

// goldens are the documents of the commands.
const goldens = "testdata/golden"

// varying are the parts of documents that differ in every run, beside changing.
var varying = []struct {
	what *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "2026-01-02T03:04:05Z"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "COMMIT"},
	{regexp.MustCompile(`@ [0-9a-f]{7}\b`), "@ COMMIT"},
	{regexp.MustCompile(`"[0-9a-f]{7}"`), `"COMMIT"`},
	{regexp.MustCompile(`-[0-9a-f]{12}"`), `-DIGEST"`},
	{regexp.MustCompile(`go1\.\d+(\.\d+)?`), "go1.26"},
	{regexp.MustCompile(`(linux|darwin)/(amd64|arm64)`), "linux/amd64"},
}

// compareGolden compares stdout with the file of a name, which -update writes.
func compareGolden(ts *testscript.TestScript, _ bool, args []string) {
	path, got := filepath.Join(goldens, args[0]+".json"), strings.ReplaceAll(ts.ReadFile("stdout"), ts.Getenv("WORK"), "/work")
	for _, c := range slices.Concat(varying, changing) {
		got = c.what.ReplaceAllString(got, c.name)
	}
	if golden.Update() {
		ts.Check(os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	ts.Check(err)
	if string(want) != got {
		ts.Fatalf("%s is not what the command prints; go test ./cmd/accord -run TestScripts -update writes it:\n%s", path, got)
	}
}

// compiled returns the schema of a document that refuses unknown fields.
func compiled(t *testing.T, d text.Document, comments map[string]string) *validation.Schema {
	schema, err := json.Marshal(schemaOf(d, comments, false))
	require.NoError(t, err)
	v, err := validation.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	c := validation.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("schema.json", v))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	return s
}

// TestGoldenDocuments: each command with -o json has a file, each document of them has the schema of its kind without other fields, and
// each kind is in a file.
func TestGoldenDocuments(t *testing.T) {
	comments, closed, printed := readComments(t), map[string]*validation.Schema{}, map[string]bool{}
	for _, d := range documents {
		closed[d.DocumentKind()] = compiled(t, d, comments)
	}
	paths, err := filepath.Glob(goldens + "/*.json")
	require.NoError(t, err)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for decoder := json.NewDecoder(bytes.NewReader(content)); decoder.More(); {
			var document map[string]any
			require.NoError(t, decoder.Decode(&document))
			kind := document["kind"].(string)
			require.NotNil(t, closed[kind], "%s: there is no schema of %s", path, kind)
			require.NoError(t, closed[kind].Validate(document), path)
			printed[kind] = true
		}
	}
	require.Len(t, printed, len(documents), "a kind is in no file: %v", printed)
	for _, c := range documented(rootCommand()) {
		if prints(c) {
			name := strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), "accord "), " ", "-")
			require.FileExists(t, filepath.Join(goldens, name+".json"))
		}
	}
}

// prints reports whether a command prints documents.
func prints(c *cobra.Command) bool {
	flag := c.Flags().Lookup("output")
	if flag == nil {
		return false
	}
	f, ours := flag.Value.(*text.FormatFlag)
	return ours && slices.Contains(f.Choices(), string(text.AsJSON))
}
