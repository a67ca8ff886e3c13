package edit_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/accord-dev/accord/cmd/accord/gitrepo/edit"
	"github.com/accord-dev/accord/internal/golden"
)

// TestEdits runs testdata: prose, then one step a line, "set NAME: path path = value" or "remove NAME: path path".
func TestEdits(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		text := c.Part("in")
		for line := range strings.Lines(string(c.Comment)) {
			text = step(t, text, strings.TrimSpace(line))
		}
		c.Equal(t, "want", string(text))
	})
}

func step(t *testing.T, text []byte, line string) []byte {
	verb, rest, _ := strings.Cut(line, " ")
	name, rest, ok := strings.Cut(rest, ": ")
	if verb != "set" && verb != "remove" || !ok {
		return text // prose
	}
	way, value, _ := strings.Cut(rest, " = ")
	path := strings.Fields(way)
	all, err := edit.Read(text)
	require.NoError(t, err)
	for _, m := range all {
		if m.Name != name {
			continue
		}
		made := text
		if verb == "set" {
			var to yaml.Node
			require.NoError(t, yaml.Unmarshal([]byte(value), &to))
			made, err = m.Set(to.Content[0], path...)
		} else {
			made, err = m.Remove(path...)
		}
		if err != nil {
			return fmt.Appendf(nil, "error: %v\n", err)
		}
		return made
	}
	require.Fail(t, "no manifest of that name", name)
	return nil
}

// TestThereAndBack sets a field in every manifest of the repository and removes it again. The text is then the same, byte by
// byte. Few manifests may be refused.
func TestThereAndBack(t *testing.T) {
	tried, refused := 0, 0
	for _, text := range manifests(t) {
		all, err := edit.Read(text)
		if err != nil {
			continue
		}
		for _, m := range all {
			if _, there := m.Get("metadata", "name"); !there {
				continue
			}
			tried++
			made, err := m.Set("x # y: 'z'", "spec", "hold", "reason")
			if err != nil {
				refused++
				continue
			}
			require.True(t, bytes.Count(made, []byte("\n")) >= bytes.Count(text, []byte("\n")) || bytes.Contains(text, []byte("{")), "%s", made)
			again, err := edit.Read(made)
			require.NoError(t, err)
			for _, n := range again {
				if n.Kind != m.Kind || n.Name != m.Name || n.Namespace != m.Namespace || n.Line != m.Line {
					continue
				}
				got, there := n.Get("spec", "hold", "reason")
				require.True(t, there)
				require.Equal(t, "x # y: 'z'", got)
				back, err := n.Remove("spec", "hold", "reason")
				require.NoError(t, err, "%s", made)
				if !strings.Contains(string(text), "{") {
					require.Equal(t, string(text), string(back))
				}
			}
		}
	}
	require.Greater(t, tried, 200)
	require.Less(t, refused*20, tried, "of %d manifests %d were refused", tried, refused)
}

// manifests returns the YAML files of examples and of the test cases of the planner.
func manifests(t *testing.T) [][]byte {
	var all [][]byte
	for _, pattern := range []string{"../../../../examples/*/*.yaml", "../../../../examples/*/*/*.yaml", "../../../../propagate/testdata/*.txtar", "../../../../propagate/diff/testdata/*.txtar"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			if filepath.Ext(file) == ".yaml" {
				all = append(all, data)
				continue
			}
			for _, part := range txtar.Parse(data).Files {
				if filepath.Ext(part.Name) == ".yaml" {
					all = append(all, part.Data)
				}
			}
		}
	}
	return all
}

func TestReadFindsItemsOfLists(t *testing.T) {
	all, err := edit.Read([]byte("# a\n---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: a/v1\n  kind: A\n  metadata: {name: one, namespace: n}\n- {apiVersion: a/v1, kind: B, metadata: {name: two}}\n---\nnot: one\n"))
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, []any{"A", "n", "one", 6}, []any{all[0].Kind, all[0].Namespace, all[0].Name, all[0].Line})
	require.Equal(t, []any{"B", "two", 9}, []any{all[1].Kind, all[1].Name, all[1].Line})
	_, err = edit.Read([]byte("a: {{ .Values.x }}: b"))
	require.ErrorContains(t, err, "reading YAML")
}

func FuzzSet(f *testing.F) {
	f.Add("apiVersion: v1\nkind: A\nmetadata: {name: x}\nspec:\n  a: b # c\n")
	f.Add("apiVersion: v1\nkind: A\nspec:\n- name: b\n  x: |\n    y\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := edit.Read([]byte(text))
		if err != nil {
			return
		}
		for _, m := range all {
			made, err := m.Set("x", "spec", "b", "pause")
			if err != nil {
				continue
			}
			again, err := edit.Read(made)
			require.NoError(t, err)
			require.Len(t, again, len(all))
		}
	})
}
