package patch

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestYAML lists operations on YAML text with the exact result or the error.
func TestYAML(t *testing.T) {
	const log = "# head\nlog:\n  level: info # quiet\n  on: no\n\n# about the list\nlist:\n  - a\n  - b: 1\n    c: 'x'\nlast: y\n"
	for _, c := range []struct{ name, text, operator, path, value, want, err string }{
		{"a scalar", log, "replace", "/log/level", `"debug"`,
			"# head\nlog:\n  level: debug # quiet\n  on: no\n\n# about the list\nlist:\n  - a\n  - b: 1\n    c: 'x'\nlast: y\n", ""},
		{"a scalar in quotes keeps them", log, "replace", "/list/1/c", `"z"`,
			"# head\nlog:\n  level: info # quiet\n  on: no\n\n# about the list\nlist:\n  - a\n  - b: 1\n    c: 'z'\nlast: y\n", ""},
		{"the first member of an item", log, "replace", "/list/1/b", `2`,
			"# head\nlog:\n  level: info # quiet\n  on: no\n\n# about the list\nlist:\n  - a\n  - b: 2\n    c: 'x'\nlast: y\n", ""},
		{"a string that looks like a boolean", "a: 1\n", "replace", "/a", `"on"`, "a: \"on\"\n", ""},
		{"a string that looks like a number", "a: 1\n", "replace", "/a", `"1"`, "a: \"1\"\n", ""},
		{"a long number", "a: 1\n", "replace", "/a", `123456789012345678901234567890.10`, "a: 123456789012345678901234567890.10\n", ""},
		{"null", "a: 1\n", "replace", "/a", `null`, "a: null\n", ""},
		{"several lines", "a: 1\nb: 2\n", "replace", "/a", `"x\ny\n"`, "a: |\n  x\n  y\nb: 2\n", ""},
		{"a member added", log, "add", "/log/format", `"json"`,
			"# head\nlog:\n  level: info # quiet\n  on: no\n  format: json\n\n# about the list\nlist:\n  - a\n  - b: 1\n    c: 'x'\nlast: y\n", ""},
		{"a member added at the end", log, "add", "/more", `{"b":[1,{"c":true}],"a":{}}`,
			log + "more:\n  a: {}\n  b:\n    - 1\n    - c: true\n", ""},
		{"a member added over one", log, "add", "/last", `"n"`,
			"# head\nlog:\n  level: info # quiet\n  on: no\n\n# about the list\nlist:\n  - a\n  - b: 1\n    c: 'x'\nlast: \"n\"\n", ""},
		{"an item appended", log, "add", "/list/-", `"z"`,
			"# head\nlog:\n  level: info # quiet\n  on: no\n\n# about the list\nlist:\n  - a\n  - b: 1\n    c: 'x'\n  - z\nlast: y\n", ""},
		{"an item inserted", log, "add", "/list/1", `{"o":1,"m":2}`,
			"# head\nlog:\n  level: info # quiet\n  on: no\n\n# about the list\nlist:\n  - a\n  - m: 2\n    o: 1\n  - b: 1\n    c: 'x'\nlast: y\n", ""},
		{"an item from the end", log, "replace", "/list/-2", `"z"`,
			"# head\nlog:\n  level: info # quiet\n  on: no\n\n# about the list\nlist:\n  - z\n  - b: 1\n    c: 'x'\nlast: y\n", ""},
		{"a member removed", log, "remove", "/log/on", ``,
			"# head\nlog:\n  level: info # quiet\n\n# about the list\nlist:\n  - a\n  - b: 1\n    c: 'x'\nlast: y\n", ""},
		{"the first member of an item removed", log, "remove", "/list/1/b", ``,
			"# head\nlog:\n  level: info # quiet\n  on: no\n\n# about the list\nlist:\n  - a\n  - c: 'x'\nlast: y\n", ""},
		{"the comment before a removed member stays", log, "remove", "/list", ``,
			"# head\nlog:\n  level: info # quiet\n  on: no\n\n# about the list\nlast: y\n", ""},
		{"the only member removed", "a:\n  b: 1\nc: 2\n", "remove", "/a/b", ``, "a: {}\nc: 2\n", ""},
		{"the only item removed", "a:\n- 1\n", "remove", "/a/0", ``, "a: []\n", ""},
		{"everything removed", "a: 1\n", "remove", "/a", ``, "{}\n", ""},
		{"added to an empty map", "a: {}\nb: 1 # one\n", "add", "/a/x", `1`, "a: {x: 1}\nb: 1 # one\n", ""},
		{"added to an empty document", "{}\n", "add", "/x", `1`, "{x: 1}\n", ""},
		{"inside one line", "a: {b: 1, c: [x, y]} # end\nd: 0o17\n", "replace", "/a/c/1", `"z"`, "a: {b: 1, c: [x, z]} # end\nd: 0o17\n", ""},
		{"lists not indented", "a:\n- x\n- y\nb: 1\n", "add", "/a/1", `["p"]`, "a:\n- x\n- - p\n- y\nb: 1\n", ""},
		{"indented by four", "a:\n    b: 1\n", "add", "/c", `{"d":{"e":1}}`, "a:\n    b: 1\nc:\n    d:\n        e: 1\n", ""},
		{"a map in place of a scalar", "a: 1 # one\nb: 2\n", "replace", "/a", `{"x":1}`, "a:\n  x: 1\nb: 2\n", ""},
		{"a scalar in place of a map", "a:\n  # inner\n  x: 1\nb: 2\n", "replace", "/a", `1`, "a: 1\nb: 2\n", ""},
		{"a scalar in place of a block", "a: |\n  x\n  # no comment\nb: 2\n", "replace", "/a", `"z"`, "a: z\nb: 2\n", ""},
		{"the whole document", "a: 1\n", "replace", "", `{"b":1}`, "b: 1\n", ""},
		{"no line end at the end", "a: 1\nb: 2", "replace", "/b", `3`, "a: 1\nb: 3", ""},
		{"added where there is no line end", "a: 1", "add", "/b", `2`, "a: 1\nb: 2", ""},
		{"a key with a slash and a tilde", "a/b~c: 1\n", "replace", "/a~1b~0c", `2`, "a/b~c: 2\n", ""},
		{"a key that is a number", "1: x\ny: z\n", "replace", "/1", `"w"`, "1: w\ny: z\n", ""},
		{"a key that is written y", "y: 1\nn: off\n", "replace", "/y", `2`, "y: 2\nn: off\n", ""},

		{"the other documents stay", "a: 1\n---\n# second\na: on\n...\n---\na: 3", "replace", "/a", `2`, "a: 2\n---\n# second\na: on\n...\n---\na: 3", ""},
		{"a marker before the first document", "# license\n---\n# about a\na: 1\n---\nb: 2\n", "replace", "/a", `2`, "# license\n---\n# about a\na: 2\n---\nb: 2\n", ""},
		{"content beside the marker", "--- {a: 1}\n---\nb: 2\n", "replace", "/a", `2`, "---\n{a: 2}\n---\nb: 2\n", ""},
		{"a directive", "%YAML 1.2\n---\na: 1\n", "replace", "/a", `2`, "%YAML 1.2\n---\na: 2\n", ""},
		{"an empty first document", "---\n# nothing\n---\na: 1\n", "replace", "/a", `2`, "", "not a map or a list"},
		{"windows line ends", "a: 1\r\nb: 2\r\n", "replace", "/b", `3`, "a: 1\r\nb: 3\r\n", ""},

		{"another member has an alias", "a: &x {b: 1}\nc: *x\nd: 1 # d\n\ne: 2\n", "replace", "/d", `2`, "a: &x {b: 1}\nc: *x\nd: 2 # d\n\ne: 2\n", ""},
		{"what an alias stands for", "a: &x {b: 1}\nc: *x\n", "replace", "/c/b", `2`, "a: &x {b: 1}\nc: {b: 2}\n", ""},
		{"what has aliases", "a: &x {b: 1}\nc: *x\n", "replace", "/a/b", `2`, "a: {b: 2}\nc: {b: 1}\n", ""},
		{"what has aliases, removed", "a: &x {b: &y 1}\nc: *x\nd: *y\n", "remove", "/a", ``, "c: {b: 1}\nd: 1\n", ""},
		{"a merged member", "a: &x {b: 1, d: 0}\nc:\n  <<: *x\n  e: 2\n", "replace", "/c/b", `2`, "a: &x {b: 1, d: 0}\nc:\n  <<: *x\n  e: 2\n  b: 2\n", ""},
		{"below a merged member", "a: &x {b: {p: 1, q: 2}}\nc: &y\n  <<: *x\nd:\n  <<: [*y]\n", "replace", "/d/b/p", `2`, "a: &x {b: {p: 1, q: 2}}\nc: &y\n  <<: *x\nd:\n  <<: [*y]\n  b: {p: 2, q: 2}\n", ""},
		{"a merge key that merges itself", "a: &x\n  <<: [*x, *x]\n", "replace", "/a/b", `2`, "", `there is no "/a/b"`},
		{"a comment in its column", "a: 1      # one\nb: 2      # two\n", "replace", "/a", `10`, "a: 10      # one\nb: 2      # two\n", ""},
		{"one line of several, in brackets", "a: {b: 'it''s',\n    c: [1,  # one\n        \"2\\\"\"]}\n", "replace", "/a/c/1", `"3"`, "a: {b: 'it''s',\n    c: [1,  # one\n        \"3\"]}\n", ""},
		{"a comma in brackets", "a: {b: x,  c: y}\n", "replace", "/a/b", `"p, q"`, "a: {b: 'p, q', c: y}\n", ""},
		{"a merged member removed", "a: &x {b: 1, d: 0}\nc:\n  <<: [*x]\n", "remove", "/c/b", ``, "a: &x {b: 1, d: 0}\nc:\n  d: 0\n", ""},

		{"missing", log, "replace", "/log/nothing", `1`, "", `there is no "/log/nothing"`},
		{"missing parent", log, "add", "/none/x", `1`, "", `its parent "/none" does not exist; add {} at "/none"`},
		{"labels are a map as any other here", log, "add", "/metadata/labels/x", `1`, "", `its parent "/metadata/labels" does not exist; add {} at "/metadata" and {} at "/metadata/labels"`},
		{"below a scalar", log, "add", "/last/x", `1`, "", `"/last" is neither a map nor a list`},
		{"beyond the list", log, "replace", "/list/2", `1`, "", `"2" is not an index of the list at "/list", which has 2 items`},
		{"twice the same key", "a: 1\na: 2\n", "replace", "/a", `3`, "", `duplicate key "a"`},
		{"a scalar", "just text", "replace", "/a", `1`, "", "not a map or a list"},
		{"nothing", "", "add", "/a", `1`, "", "not a map or a list"},
		{"not YAML", "a: [", "replace", "/a", `1`, "", "not valid YAML"},
		{"without the document", "a: 1\n", "remove", "", ``, "", "cannot be removed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Patch{Operator: c.operator, Path: c.path, Value: json.RawMessage(c.value)}
			got, err := p.YAML(c.text)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// TestYAMLAt patches one document of several, and refuses to reformat it.
func TestYAMLAt(t *testing.T) {
	const text = "# license\n---\na: 1\n--- {a: 1} # two\n...\n\n# three\na: &x {b: 1}   # shared\nc: *x\n---\n{a: 1,\n d: 2}   # four\n\n# end\n"
	for _, c := range []struct {
		name, operator, path, value string
		line                        int
		want, err                   string
	}{
		{"the first", "replace", "/a", `2`, 3, strings.Replace(text, "a: 1\n", "a: 2\n", 1), ""},
		{"beside its marker", "replace", "/a", `2`, 4, strings.Replace(text, "--- {a: 1}", "---\n{a: 2}", 1), ""},
		{"after an end marker", "add", "/d", `2`, 8, strings.Replace(text, "c: *x\n", "c: *x\nd: 2\n", 1), ""},
		{"the only field of a shared map", "add", "/a/d", `2`, 8, "", "cannot be edited safely"},
		{"in brackets as a whole", "add", "/e", `3`, 11, strings.Replace(text, "{a: 1,\n d: 2}   # four", "{a: 1, d: 2, e: 3} # four", 1), ""},
		{"no root begins on the line", "replace", "/a", `2`, 7, "", "cannot be edited safely"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Patch{Operator: c.operator, Path: c.path, Value: json.RawMessage(c.value)}
			got, err := p.YAMLAt(text, c.line)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// TestYAMLNode keeps the order of keys and the style of a node.
func TestYAMLNode(t *testing.T) {
	var value yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte("{z: 1, a: [2]}"), &value))
	p := &Patch{Operator: "add", Path: "/c", Value: value.Content[0]}
	got, err := p.YAML("a: {}   # one\n")
	require.NoError(t, err)
	require.Equal(t, "a: {}   # one\nc: {z: 1, a: [2]}\n", got)
}
