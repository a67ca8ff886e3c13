package render

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/decode"
)

func single(text string) fstest.MapFS {
	return fstest.MapFS{"a.yaml": &fstest.MapFile{Data: []byte(text)}}
}

// TestValues lists the values of YAML scalars.
func TestValues(t *testing.T) {
	for text, want := range map[string]any{
		"3": int64(3), "-3": int64(-3), "0": int64(0), "0644": int64(420), "0o17": int64(15), "0x1f": int64(31), "1_000": int64(1000),
		"9223372036854775807": int64(math.MaxInt64), "18446744073709551615": float64(math.MaxUint64),
		"1.5": 1.5, "1.0": int64(1), "1e3": int64(1000), "1e300": 1e300,
		"true": true, "False": false, "yes": "yes", "on": "on", "n": "n", "~": nil, "": nil, "null": nil,
		"2024-01-01": "2024-01-01", "12:30:45": "12:30:45", `"3"`: "3", "!!str 3": "3", "1.2.3": "1.2.3", "[]": []any{}, "{}": map[string]any{},
	} {
		t.Run(text, func(t *testing.T) {
			u := one(t, "apiVersion: v1\nkind: A\nmetadata: {name: a}\nv: "+text+"\n")
			require.Equal(t, want, u.Object["v"])
		})
	}
}

func TestRead(t *testing.T) {
	const head = "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"
	for _, c := range []struct {
		name, text string
		line       int
		want       map[string]any // after the identifying fields
	}{
		{"byte order mark", "\ufeff" + head, 1, nil},
		{"carriage returns", strings.ReplaceAll("# c\n"+head+"v: |\n  a\n  b\n", "\n", "\r\n"), 2, map[string]any{"v": "a\nb\n"}},
		{"no last line feed", head + "v: 1", 1, map[string]any{"v": int64(1)}},
		{"kept line feeds", head + "v: |+\n  a\n\n", 1, map[string]any{"v": "a\n\n"}},
		{"directive", "%YAML 1.2\n---\n" + head, 3, nil},
		{"marker in a block scalar", head + "v: |\n  ---\n  a\n", 1, map[string]any{"v": "---\na\n"}},
		{"content behind the marker", "--- {apiVersion: v1, kind: A, metadata: {name: a}}\n", 1, nil},
		{"alias", head + "a: &x {k: v}\nb: *x\n", 1, map[string]any{"a": map[string]any{"k": "v"}, "b": map[string]any{"k": "v"}}},
		{"merge key", head + "a: &x {k: v, l: w}\nb: {<<: *x, k: own}\n", 1, map[string]any{"a": map[string]any{"k": "v", "l": "w"}, "b": map[string]any{"k": "own", "l": "w"}}},
		{"merge keys", head + "a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc: {<<: [*x, *y]}\n", 1, map[string]any{"a": map[string]any{"k": int64(1)}, "b": map[string]any{"k": int64(2), "l": int64(2)}, "c": map[string]any{"k": int64(1), "l": int64(2)}}},
		{"keys that are numbers", head + "v: {8080: a, true: b}\n", 1, map[string]any{"v": map[string]any{"8080": "a", "true": "b"}}},
		{"key that is an alias", head + "v: {&k a: 1}\nw: {*k : 2}\n", 1, map[string]any{"v": map[string]any{"a": int64(1)}, "w": map[string]any{"a": int64(2)}}},
		{"name as long as can be", "apiVersion: v1\nkind: A\nmetadata: {name: a}\nx: " + strings.Repeat("n", 253) + "\n", 1, map[string]any{"x": strings.Repeat("n", 253)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects, err := Build(single(c.text), Options{Source: "src"})
			require.NoError(t, err)
			require.Len(t, objects, 1)
			require.Equal(t, manifest.Origin{Source: "src", Path: "a.yaml", Line: c.line}, objects[0].Origin)
			want := map[string]any{"apiVersion": "v1", "kind": "A", "metadata": map[string]any{"name": "a"}}
			for key, value := range c.want {
				want[key] = value
			}
			require.Equal(t, want, objects[0].Manifest.Get().Object)
			require.Equal(t, Digest(objects[0].Manifest.Get()), objects[0].Digest)
		})
	}
}

// TestJSONEscapes reads .json files with the rules of JSON, including escapes that YAML lacks.
func TestJSONEscapes(t *testing.T) {
	objects, err := Build(fstest.MapFS{"a.json": &fstest.MapFile{Data: []byte(
		`{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a"}, "v": "\ud83d\ude00 \/ \u00e4 \\ud83d\\ude00 \t"}`,
	)}}, Options{})
	require.NoError(t, err)
	require.Equal(t, "\U0001F600 / \u00e4 \\ud83d\\ude00 \t", objects[0].Manifest.Get().Object["v"])
}

func TestReadRefuses(t *testing.T) {
	const head = "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"
	bomb := head + "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 8 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for _, c := range []struct{ name, text, want string }{
		{"UTF-16", "\xff\xfea\x00", "a.yaml:1: is UTF-16"},
		{"other encoding", head + "v: \xe4\n", "a.yaml:4: is not valid UTF-8"},
		{"key twice", head + "v: 1\nw: {a: 1, a: 2}\n", `a.yaml:5: duplicate key "a"`},
		{"key twice below an alias", "# c\n" + head + "v: &x\n  a: 1\n  a: 2\nw: *x\n", `a.yaml:7: duplicate key "a"`},
		{"alias of itself", head + "v: &x [*x]\n", "is nested deeper than 200 levels"},
		{"aliases of aliases", bomb, "has more than 500000 values"},
		{"deep", head + "v: " + strings.Repeat("[", 300) + strings.Repeat("]", 300), "a.yaml:4: is nested deeper"},
		{"key that is a list", head + "? [a]\n: b\n", "a.yaml:4: has a mapping key that is not a string"},
		{"key that is null", head + "~: b\n", "a.yaml:4: has a mapping key that is not a string"},
		{"merge of a string", head + "<<: b\n", "a.yaml:4: merge key << needs"},
		{"merge of itself", head + "v: &x\n  <<: *x\n", "is nested deeper"},
		{"not a number", head + "v: .nan\n", "a.yaml:4: is not a number that JSON can represent"},
		{"items by a merge key", "kind: List\n<<: {items: [a, b]}\n", "a.yaml:1: items[0] is not a Kubernetes object"},
		{"items by an alias", "x: &x\n- a\nkind: List\nitems: *x\n", "a.yaml:2: items[0] is not a Kubernetes object"},
		{"wrong boolean", head + "v: !!bool x\n", "a.yaml:4: is not a boolean"},
		{"wrong integer", head + "v: !!int x\n", "a.yaml:4: is not a number"},
		{"tab", head + "v:\n\ta: 1\n", "a.yaml:5: is not valid YAML: found character that cannot start any token"},
		{"template of a chart", head + "v: 1\n{{- if .Values.x }}\nw: 1\n{{- end }}\n", "a.yaml:5: is not valid YAML: could not find expected ':'; if it is a template, render it first and commit the result"},
		{"template of a value", head + "v: {{ .Values.x }}\n", "a.yaml:4: has a mapping key that is not a string; if it is a template, render it first and commit the result"},
		{"control character", head + "v: \x01\n", "a.yaml:1: is not valid YAML: control characters are not allowed"},
		{"long name", "apiVersion: v1\nkind: A\nmetadata:\n  name: " + strings.Repeat("n", 254), "a.yaml:4: metadata.name has 254 characters"},
		{"namespace that is none", "apiVersion: v1\nkind: A\nmetadata: {name: a, namespace: 3}", "a.yaml:3: metadata.namespace is not a name"},
		{"list", "- a\n", "a.yaml:1: is not a Kubernetes object"},
		{"kind missing", "# c\nkind: A\n", "a.yaml:2: is not a Kubernetes object: apiVersion and kind are required"},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects, err := Build(single(c.text), Options{})
			require.ErrorContains(t, err, c.want)
			require.Nil(t, objects)
			_, ok := errors.AsType[*manifest.Error](err)
			require.True(t, ok)
		})
	}
}

func TestBuildDirectory(t *testing.T) {
	object := func(name string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("apiVersion: v1\nkind: A\nmetadata: {name: " + name + "}\n")}
	}
	fsys := fstest.MapFS{
		"a/x.yaml": object("x"), "a/y.yml": object("y"), "b/z.yaml": object("z"), "empty/README.md": {},
		"broken/kustomization.yaml":    {Data: []byte("resources: [missing]\n")},
		"void/kustomization.yaml":      {Data: []byte("# nothing\n")},
		"null/kustomization.yaml":      {Data: []byte("null\n")},
		"component/kustomization.yaml": {Data: []byte("apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: a-\n")},
		"linked/x.yaml":                {Data: []byte("../a/x.yaml"), Mode: fs.ModeSymlink},
		"dangling/x.yaml":              {Data: []byte("../nowhere"), Mode: fs.ModeSymlink},
		"linkeddir/a":                  {Data: []byte("../a"), Mode: fs.ModeSymlink},
		"patched/kustomization.yaml":   {Data: []byte("resources: [../a/x.yaml]\npatches: [{patch: '[{op: remove, path: /nothing}]', target: {kind: A}}]\n")},
		"again/kustomization.yaml":     {Data: []byte("resources: [../a/x.yaml, x.yaml]\n")},
		"several/kustomization.yaml":   {Data: []byte("namePrefix: a-\n")},
		"several/kustomization.yml":    {Data: []byte("namePrefix: a-\n")},
		"asfile/kustomization.yaml":    {Data: []byte("configMapGenerator: [{name: x, files: [../again/kustomization.yaml]}]\n")},
		"again/x.yaml":                 object("x"),
		"unnamed/kustomization.yaml":   {Data: []byte("resources: [../a/x.yaml]\npatches: [{patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"a\": 1}}]', target: {kind: A}}]\n")},
	}
	for _, c := range []struct {
		dir   string
		names []string
		err   string
	}{
		{"a", []string{"x", "y"}, ""},
		{"a/", []string{"x", "y"}, ""},
		{"./b", []string{"z"}, ""},
		{"empty", nil, ""},
		{"linked", []string{"x"}, ""},
		{"linkeddir", nil, ""},
		{"nowhere", nil, "nowhere: cannot be read"},
		{"../a", nil, "../a: is not a path inside the tree"},
		{"/a", nil, "/a: is not a path inside the tree"},
		{"a/x.yaml", nil, "a/x.yaml: is not a directory"},
		{"dangling", nil, "dangling/x.yaml: is a link that cannot be followed"},
		{"broken", nil, `broken/kustomization.yaml:1: "missing" does not exist: there is no broken/missing in the tree`},
		{"void", nil, "void/kustomization.yaml: has 0 documents"},
		{"null", nil, "null/kustomization.yaml:1: is empty"},
		{"component", nil, "component/kustomization.yaml:1: is a Component"},
		{"again", nil, "again/x.yaml:1: A x is defined a second time, first at a/x.yaml:1"},
		{"several", nil, "several/kustomization.yaml: is one of several kustomizations of the directory"},
		{"asfile", nil, `asfile/kustomization.yaml:1: "../again/kustomization.yaml" is a kustomization; name its directory`},
		{"patched", nil, "patched/kustomization.yaml:1: kustomize: "},
		{"unnamed", nil, `a/x.yaml:1: metadata.labels has "a": 1, which is not a string`},
	} {
		t.Run(c.dir, func(t *testing.T) {
			objects, err := Build(fsys, Options{Dir: c.dir})
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			var names []string
			for _, o := range objects {
				names = append(names, o.ID().Name)
			}
			require.Equal(t, c.names, names)
		})
	}
}

// TestErrorsDoNotTellSecrets checks errors, which appear in conditions, logs and comments.
func TestErrorsDoNotTellSecrets(t *testing.T) {
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  a: b\n"
	for name, fsys := range map[string]fstest.MapFS{
		"not quoted":       single(secret + "  p: *hunter2\n"),
		"wrong tag":        single(secret + "  p: !!int hunter2\n"),
		"wrong boolean":    single(secret + "  p: !!bool hunter2\n"),
		"broken generator": {"kustomization.yaml": {Data: []byte("secretGenerator: [{name: x, literals: [hunter2]}]\n")}},
		"broken encoding":  {"kustomization.yaml": {Data: []byte("secretGenerator: [{name: x, env: e}]\n")}, "e": {Data: []byte("hunter2\xff\n")}},
		"broken patch":     {"kustomization.yaml": {Data: []byte("resources: [a.yaml]\npatches: [{patch: 'password: hunter2'}]\n")}, "a.yaml": {Data: []byte(secret)}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Build(fsys, Options{})
			require.Error(t, err)
			require.NotContains(t, err.Error(), "hunter2")
			require.NotContains(t, err.Error(), "104 117 110") // the bytes, as kustomize prints them
		})
	}
}

// TestFileLimit requires that the size is checked before the file is read.
func TestFileLimit(t *testing.T) {
	_, err := Build(single(strings.Repeat(" ", decode.MaxFileSize+1)), Options{})
	require.ErrorContains(t, err, "at most 16777216 are allowed")
}

// TestPanicIsAnError triggers a panic of kustomize. The next build works.
func TestPanicIsAnError(t *testing.T) {
	_, err := krustyRun(nil, "/", false)
	require.ErrorContains(t, err, "panic")
	objects, err := Build(fstest.MapFS{
		"kustomization.yaml": {Data: []byte("resources: [a.yaml]\n")},
		"a.yaml":             {Data: []byte("apiVersion: v1\nkind: A\nmetadata: {name: a}\n")},
	}, Options{})
	require.NoError(t, err)
	require.Len(t, objects, 1)
}

// TestBuildsAtOnce runs builds concurrently, although kustomize has global state.
func TestBuildsAtOnce(t *testing.T) {
	var wait sync.WaitGroup
	names := make([]string, 8)
	for i := range names {
		wait.Go(func() {
			objects, err := Build(fstest.MapFS{
				"kustomization.yaml": {Data: fmt.Appendf(nil, "namePrefix: p%d-\nresources: [a.yaml]\n", i)},
				"a.yaml":             {Data: []byte("apiVersion: v1\nkind: A\nmetadata: {name: a}\n")},
			}, Options{})
			if err == nil {
				names[i] = objects[0].ID().Name
			}
		})
	}
	wait.Wait()
	for i, name := range names {
		require.Equal(t, fmt.Sprintf("p%d-a", i), name)
	}
}
