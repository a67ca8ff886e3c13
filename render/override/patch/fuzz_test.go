package patch

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// FuzzYAML requires: no panic; the result is the YAML of the patched value; and the text after the first document is
// unchanged.
func FuzzYAML(f *testing.F) {
	f.Add("# c\na: 1 # d\nb:\n- x\n- y: &z {e: 1}\n---\n second: *z", "add", "/b/1/y/e", `{"a":[1,"y"]}`)
	f.Add("a: |\n x\n\nb: >-\n  y\n", "remove", "/a", `1`)
	f.Add("- - a\n  - b\n- ? c\n  : d\n", "replace", "/0/1", `"a: b"`)
	f.Add("a: &x {b: 1}\nc:\n  <<: *x\n", "replace", "/c/b", `"\n"`)
	f.Add("--- {a: b}\r\n...\r\n", "add", "/c", `null`)
	f.Fuzz(func(t *testing.T, text, operator, path, raw string) {
		var value any
		if json.Unmarshal([]byte(raw), &value) != nil || len(text)+len(raw) > 2000 || !utf8.ValidString(path) {
			return
		}
		p := &Patch{Operator: operator, Path: path, Value: json.RawMessage(raw)}
		got, err := p.YAML(text)
		if err != nil {
			return
		}
		_, body, rest := cutDocument(text, 0)
		require.True(t, strings.HasSuffix(got, rest))
		_, patched, _ := cutDocument(got, 0)
		requireMeans(t, body, patched, Patch{Operator: operator, Path: path}, raw)
	})
}

// requireMeans compares with the patch of the decoded value, if it can be decoded: yaml's decoder rejects some input of
// its parser, and allows keys that are not strings.
func requireMeans(t *testing.T, before, after string, p Patch, raw string) {
	var old any
	if yaml.Unmarshal([]byte(before), &old) != nil || !plain(old) {
		return
	}
	value, err := nodeOf(raw)
	require.NoError(t, err)
	require.NoError(t, value.Decode(&p.Value))
	want, err := p.Apply(old)
	require.NoError(t, err, "%q", before)
	var got any
	require.NoError(t, yaml.Unmarshal([]byte(after), &got), "%q\n%q", before, after)
	require.True(t, reflect.DeepEqual(want, got), "before %q\nafter %q\nwant %#v\ngot %#v", before, after, want, got)
}

// plain reports whether all keys of a value are strings, and no part is NaN.
func plain(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			if !plain(v) {
				return false
			}
		}
	case []any:
		for _, v := range value {
			if !plain(v) {
				return false
			}
		}
	case map[any]any:
		return false
	case float64:
		return value == value
	}
	return true
}

// FuzzJSON requires: no panic, and the result is the JSON of the patched value.
func FuzzJSON(f *testing.F) {
	f.Add("{\n  \"a\": 1,\n  \"b\": [1, {\"c\": null}]\n}\n", "add", "/b/1/c", `{"a":[1,"y"]}`)
	f.Add(` [[],{"a":"]"} , -1e5]`, "remove", "/1/a", `1`)
	f.Add(`{"a\u0062":"\"}"}`, "replace", "/ab", `"x"`)
	f.Fuzz(func(t *testing.T, text, operator, path, raw string) {
		var old, value, got any
		if json.Unmarshal([]byte(text), &old) != nil || json.Unmarshal([]byte(raw), &value) != nil || !utf8.ValidString(path) {
			return
		}
		op := &Patch{Operator: operator, Path: path, Value: json.RawMessage(raw)}
		patched, err := op.JSON(text)
		if err != nil {
			return
		}
		require.NoError(t, json.Unmarshal([]byte(patched), &got), "%s", patched)
		want, err := (&Patch{Operator: operator, Path: path, Value: value}).Apply(old)
		require.NoError(t, err)
		require.Equal(t, want, got, "%s\n%s", text, patched)
	})
}

// BenchmarkYAML replaces one value in a hundred lines.
func BenchmarkYAML(b *testing.B) {
	text := "log: {level: info}\n" + strings.Repeat("# a comment\n", 9)
	for i := range 10 {
		text += fmt.Sprintf("section%d:\n  on: y\n  items:\n  - {a: 1, b: two}\n  - c: |\n      text\n\n  # more\n  last: 0\n", i)
	}
	for b.Loop() {
		_, err := (&Patch{Operator: "replace", Path: "/section5/items/1/c", Value: json.RawMessage(`"x"`)}).YAML(text)
		require.NoError(b, err)
	}
}
