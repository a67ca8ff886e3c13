package patch

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestApply lists operations with the value and the outputs of the patch, or the error.
func TestApply(t *testing.T) {
	const doc = `{"data":{"a":"1","n":null},"list":["x",{"k":[]}]}`
	for _, c := range []struct {
		name, operator, path, value string
		want, at, before            string // as JSON; at is the resulting path, "" if unchanged
		moved                       int8
		err                         string
	}{
		{name: "a member added", operator: "add", path: "/data/b", value: `2`, want: `{"data":{"a":"1","b":2,"n":null},"list":["x",{"k":[]}]}`},
		{name: "a member added over one", operator: "add", path: "/data/a", value: `{}`, want: `{"data":{"a":{},"n":null},"list":["x",{"k":[]}]}`, before: `"1"`},
		{name: "a member replaced", operator: "replace", path: "/data/n", value: `0`, want: `{"data":{"a":"1","n":0},"list":["x",{"k":[]}]}`, before: `null`},
		{name: "a member removed", operator: "remove", path: "/data/a", want: `{"data":{"n":null},"list":["x",{"k":[]}]}`, before: `"1"`},
		{name: "an item appended", operator: "add", path: "/list/-", value: `2`, want: `{"data":{"a":"1","n":null},"list":["x",{"k":[]},2]}`, at: "/list/2", moved: 1},
		{name: "an item inserted", operator: "add", path: "/list/-2", value: `2`, want: `{"data":{"a":"1","n":null},"list":["x",2,{"k":[]}]}`, at: "/list/1", moved: 1},
		{name: "an item replaced", operator: "replace", path: "/list/0", value: `2`, want: `{"data":{"a":"1","n":null},"list":[2,{"k":[]}]}`, before: `"x"`},
		{name: "an item removed", operator: "remove", path: "/list/-1", want: `{"data":{"a":"1","n":null},"list":["x"]}`, at: "/list/1", before: `{"k":[]}`, moved: -1},
		{name: "below items from the end", operator: "add", path: "/list/-1/k/-", value: `1`, want: `{"data":{"a":"1","n":null},"list":["x",{"k":[1]}]}`, at: "/list/1/k/0", moved: 1},
		{name: "a key with escapes", operator: "add", path: "/data/~1~0~01", value: `1`, want: `{"data":{"/~~1":1,"a":"1","n":null},"list":["x",{"k":[]}]}`},
		{name: "the whole", operator: "replace", path: "", value: `[]`, want: `[]`, before: doc},

		{name: "the whole removed", operator: "remove", path: "", err: "the root cannot be removed"},
		{name: "another operator", operator: "move", path: "/a", err: `unknown operator "move", expected add, remove or replace`},
		{name: "no slash", operator: "add", path: "data", err: "must begin with /"},
		{name: "nothing to replace", operator: "replace", path: "/data/b", err: `there is no "/data/b"`},
		{name: "nothing to remove", operator: "remove", path: "/data/b/c", err: `there is no "/data/b"`},
		{name: "no parent", operator: "add", path: "/x/0", err: `its parent "/x" does not exist; add [] at "/x"`},
		{name: "no parents", operator: "add", path: "/x/y/z", err: `its parent "/x/y" does not exist; add {} at "/x" and {} at "/x/y"`},
		{name: "no metadata around the labels", operator: "add", path: "/metadata/labels/x", err: `add {} at "/metadata" and {} at "/metadata/labels"`},
		{name: "below null", operator: "add", path: "/data/n/x", err: `"/data/n" is neither a map nor a list`},
		{name: "no index", operator: "replace", path: "/list/x", err: `"x" is not an index of the list at "/list", which has 2 items`},
		{name: "an index behind the end", operator: "replace", path: "/list/-", err: `"-" is not an index`},
		{name: "an index before the beginning", operator: "remove", path: "/list/-3", err: `"-3" is not an index`},
		{name: "no index on the way", operator: "add", path: "/list/2/x", err: `"2" is not an index`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := Patch{Operator: c.operator, Path: c.path, Value: decoded(t, c.value), OfObject: true}
			got, err := p.Apply(decoded(t, doc))
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, decoded(t, c.want), got)
			require.Equal(t, c.before != "", p.Existed)
			require.Equal(t, decoded(t, c.before), p.Before)
			require.Equal(t, c.moved, p.IndexShift)
			if c.at == "" {
				c.at = c.path
			}
			require.Equal(t, c.at, p.Path)
		})
	}
}

func TestLookup(t *testing.T) {
	doc := decoded(t, `{"a/b~":[1,{"c":null}],"d":"x"}`)
	for pointer, want := range map[string]string{
		"/a~1b~0/0": `1`, "/a~1b~0/-1": `{"c":null}`, "/a~1b~0/1/c": ``, "/a~1b~0/2": ``, "/a~1b~0/-": ``, "/d/x": ``, "/e": ``,
		"": `{"a/b~":[1,{"c":null}],"d":"x"}`,
	} {
		require.Equal(t, decoded(t, want), Lookup(doc, pointer), pointer)
	}
	require.Equal(t, "a~1b~0", Escape("a/b~"))
}

// decoded decodes JSON; "" is nil.
func decoded(t testing.TB, text string) any {
	if text == "" {
		return nil
	}
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return value
}
