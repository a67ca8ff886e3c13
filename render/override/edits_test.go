package override

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
)

// TestLastEdit follows fields through insertions and removals in lists.
func TestLastEdit(t *testing.T) {
	set := func(policy, path string) Edit { return Edit{Policy: policy, Path: path} }
	insert := func(policy, path string) Edit { return Edit{Policy: policy, Path: path, shift: 1} }
	remove := func(policy, path string) Edit { return Edit{Policy: policy, Path: path, shift: -1} }
	for _, c := range []struct {
		name    string
		edits   []Edit
		pointer string
		want    string // the policy of the edit; "" for none
	}{
		{"no edits", nil, "/a", ""},
		{"another field", []Edit{set("x", "/b")}, "/a", ""},
		{"a field whose name begins alike", []Edit{set("x", "/ab")}, "/a", ""},
		{"the field itself, twice", []Edit{set("x", "/a"), set("y", "/a"), set("z", "/b")}, "/a", "y"},
		{"its parent", []Edit{set("x", "/a/b"), set("y", "/a")}, "/a/b", "y"},
		{"the whole object", []Edit{set("x", "")}, "/a/b", "x"},
		{"below it, later", []Edit{set("x", "/a"), set("y", "/a/b")}, "/a", "y"},
		{"below it, earlier", []Edit{set("x", "/a/b"), set("y", "/a")}, "/a", "y"},
		{"an item that was inserted", []Edit{set("x", "/l/0"), insert("y", "/l/0")}, "/l/0", "y"},
		{"below an item that was inserted", []Edit{insert("y", "/l/1")}, "/l/1/image", "y"},
		{"an item moved up by an insertion", []Edit{set("x", "/l/0/image"), insert("y", "/l/0")}, "/l/1/image", "x"},
		{"an item before an insertion", []Edit{set("x", "/l/0"), insert("y", "/l/1")}, "/l/0", "x"},
		{"an item moved down by a removal", []Edit{set("x", "/l/2"), remove("y", "/l/0")}, "/l/1", "x"},
		{"an item in place of a removed one", []Edit{set("x", "/l/0"), remove("y", "/l/0")}, "/l/0", ""},
		{"an item moved there and back", []Edit{set("x", "/l/0"), insert("y", "/l/0"), remove("z", "/l/0")}, "/l/0", "x"},
		{"a list that lost an item", []Edit{set("x", "/l"), remove("y", "/l/0")}, "/l", "y"},
		{"another list", []Edit{set("x", "/m/0"), remove("y", "/l/0")}, "/m/0", "x"},
		{"an empty key below an item", []Edit{set("x", "/l/0/"), insert("y", "/l/0")}, "/l/1/", "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			last, ok := LastEdit(c.edits, c.pointer)
			require.Equal(t, c.want, last.Policy)
			require.Equal(t, c.want != "", ok)
		})
	}
}

func TestEditsAreDecodedAgain(t *testing.T) {
	edits := []Edit{
		{At: manifest.Origin{Path: "p.yaml", Line: 3, Column: 4}, Policy: "shop/web", Field: "spec.overrideRules[0]", Path: "/a/0", shift: 1},
		{Path: "/a/1", shift: -1}, {Path: "/b"},
	}
	data, err := EncodeEdits(edits)
	require.NoError(t, err)
	got, err := DecodeEdits(data)
	require.NoError(t, err)
	require.Equal(t, edits, got)
	data, err = EncodeEdits(nil)
	require.NoError(t, err)
	got, err = DecodeEdits(data)
	require.NoError(t, err)
	require.Nil(t, got)
	_, err = DecodeEdits(data[1:])
	require.Error(t, err)
}
