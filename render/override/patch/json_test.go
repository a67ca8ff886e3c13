package patch

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJSON lists operations on JSON text with the exact result or the error.
func TestJSON(t *testing.T) {
	const lines = "{\n    \"b\": 1.50,\n    \"a\": [1, {\"x\" : \"}\\\"\"}]\n}\n"
	for _, c := range []struct{ name, text, operator, path, value, want, err string }{
		{"a number", lines, "replace", "/b", `12345678901234567890.0`, "{\n    \"b\": 12345678901234567890.0,\n    \"a\": [1, {\"x\" : \"}\\\"\"}]\n}\n", ""},
		{"a string in an item", lines, "replace", "/a/1/x", `"<&>"`, "{\n    \"b\": 1.50,\n    \"a\": [1, {\"x\" : \"<&>\"}]\n}\n", ""},
		{"a member added", lines, "add", "/c", `{"d":1}`, "{\n    \"b\": 1.50,\n    \"a\": [1, {\"x\" : \"}\\\"\"}],\n    \"c\": {\n        \"d\": 1\n    }\n}\n", ""},
		{"a member added beside one", lines, "add", "/a/1/y", `2`, "{\n    \"b\": 1.50,\n    \"a\": [1, {\"x\" : \"}\\\"\", \"y\" : 2}]\n}\n", ""},
		{"an item appended", lines, "add", "/a/-", `2`, "{\n    \"b\": 1.50,\n    \"a\": [1, {\"x\" : \"}\\\"\"}, 2]\n}\n", ""},
		{"an item inserted", lines, "add", "/a/0", `2`, "{\n    \"b\": 1.50,\n    \"a\": [2, 1, {\"x\" : \"}\\\"\"}]\n}\n", ""},
		{"the last item removed", lines, "remove", "/a/-1", ``, "{\n    \"b\": 1.50,\n    \"a\": [1]\n}\n", ""},
		{"the first member removed", lines, "remove", "/b", ``, "{\n    \"a\": [1, {\"x\" : \"}\\\"\"}]\n}\n", ""},
		{"the only member removed", `{"a": {"b": 1}}`, "remove", "/a/b", ``, `{"a": {}}`, ""},
		{"the only item removed", `[ 1 ]`, "remove", "/0", ``, `[]`, ""},
		{"without spaces", `{"a":1}`, "add", "/b", `{"c":[1,2]}`, `{"a":1,"b":{"c":[1,2]}}`, ""},
		{"with spaces", `{ "a": 1 }`, "add", "/b", `2`, `{ "a": 1, "b": 2 }`, ""},
		{"one on its line", "{\n  \"a\": 1\n}", "add", "/b", `2`, "{\n  \"a\": 1,\n  \"b\": 2\n}", ""},
		{"one item", `[1]`, "add", "/0", `0`, `[0,1]`, ""},
		{"added to an empty object", `{"a": {}}`, "add", "/a/b", `1`, `{"a": {"b": 1}}`, ""},
		{"added to an empty object without spaces", `{}`, "add", "/a<b", `1`, `{"a<b":1}`, ""},
		{"added to an empty list", `{"a":[]}`, "add", "/a/-", `1`, `{"a":[1]}`, ""},
		{"a key with escapes", `{"a\u002fb~": 1}`, "replace", "/a~1b~0", `2`, `{"a\u002fb~": 2}`, ""},
		{"the whole text", " {\"a\": 1}\n", "replace", "", `[1]`, " [1]\n", ""},
		{"missing", lines, "replace", "/c", `1`, "", `there is no "/c"`},
		{"missing parent", lines, "add", "/c/-", `1`, "", `its parent "/c" does not exist; add [] at "/c"`},
		{"below a number", lines, "add", "/b/c", `1`, "", `"/b" is neither a map nor a list`},
		{"beyond the list", lines, "add", "/a/3", `1`, "", `"3" is not an index of the list at "/a", which has 2 items`},
		{"twice the same key", `{"a": 1, "a": 2}`, "remove", "/a", ``, "", `duplicate key "/a"`},
		{"a number alone", `1`, "add", "/a", `1`, "", "not a map or a list"},
		{"not JSON", `{a: 1}`, "add", "/a", `1`, "", "not valid JSON"},
		{"nothing", ``, "add", "/a", `1`, "", "not valid JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Patch{Operator: c.operator, Path: c.path, Value: json.RawMessage(c.value)}
			got, err := p.JSON(c.text)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}
