package render

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/mistake"
)

const (
	// hostileTime bounds a refusal: seconds are enough on a busy machine, minutes would delay other builds.
	hostileTime = time.Minute
	// hostileMemory bounds the allocations of a refusal, for a file as large as Git sources allow.
	hostileMemory = 1 << 30
	// hostileMessage bounds the error text: a condition on the hub has at most 32 KiB.
	hostileMessage = 256 << 10

	plain = "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"
)

// filled returns as many copies of a text as fit into the largest file of a source.
func filled(text string) string { return strings.Repeat(text, (8<<20)/len(text)) }

// treeOf returns files by name as a file system.
func treeOf(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

// refused requires that a build fails with a place, in bounded time and memory, and with a bounded message.
func refused(t *testing.T, fsys fs.FS, says string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	objects, err := Build(fsys, Options{})
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	require.ErrorContains(t, err, says)
	require.Nil(t, objects)
	_, ok := errors.AsType[*manifest.Error](err)
	require.True(t, ok, "%v", err)
	require.Less(t, took, hostileTime)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(hostileMemory))
	require.Less(t, len(err.Error()), hostileMessage)
	for line := range strings.Lines(err.Error()) {
		require.True(t, mistake.Printable(strings.TrimSuffix(line, "\n")) || strings.Contains(line, "kustomize:"), "%q", line)
	}
}

func TestHostileManifests(t *testing.T) {
	long := strings.Repeat("n", 1<<20)
	object := func(metadata string) string { return "apiVersion: v1\nkind: A\nmetadata:\n" + metadata }
	for _, c := range []struct{ name, text, want string }{
		{"as many values as fit", plain + "v: [" + filled("a,") + "a]\n", "a.yaml:1: has up to "},
		{"as many values as fit, in lines", plain + "v:\n" + filled("- a\n"), "values in one document, at most 500000 are allowed; split it"},
		{"a long text by many aliases", plain + "v: &x " + long + "\nw: [" + strings.Repeat("*x,", 1000) + "]\n", "a.yaml:4: has more than 16777216 bytes of text, including repeated aliases"},
		{"a long key by many aliases", plain + "v: &x {" + long[:1000] + ": 1}\nw: [" + strings.Repeat("*x,", 20_000) + "]\n", "a.yaml:4: has more than 16777216 bytes of text"},
		{"as many levels as fit", plain + "v: " + filled("["), "a.yaml:1: has up to "},
		{"more levels than anybody reads", plain + "v: " + strings.Repeat("[", 20_000), "a.yaml:4: is not valid YAML: exceeded max depth"},
		{"as many levels as fit, in dashes", plain + "v:\n" + filled("- "), "has up to "},
		{"as many mistakes as documents fit", filled("---\na\n"), "a.yaml: has 100 mistakes or more; the rest of it was not read"},
		{"as many mistakes as items fit", "apiVersion: v1\nkind: List\nitems:\n" + strings.Repeat("- a\n", 100_000), "a.yaml: has 100 mistakes or more"},
		{"an anchor that is not there", plain + "v: *x\n", "a.yaml:4: is not valid YAML: unknown anchor"},
		{"a huge key twice", plain + long[:1000] + ": 1\n" + long[:1000] + ": 2\n", "a.yaml:5: duplicate key \"nnn"},
		{"a huge version", "apiVersion: " + long + "\nkind: A\nmetadata: {name: a}\n", "a.yaml:1: apiVersion \"nnn"},
		{"a huge kind", "apiVersion: v1\nkind: " + long + "\nmetadata: {name: a}\n", "a.yaml:2: kind \"nnn"},
		{"a huge label", object("  name: a\n  labels:\n    a: " + long + "\n"), `a.yaml:6: metadata.labels has "a": "nnn`},
		{"a huge annotation", object("  name: a\n  annotations:\n    a: " + long + "\n"), "a.yaml:6: metadata.annotations has 1048577 bytes, more than the 262144 that Kubernetes allows"},
		{"a null byte", plain + "v: a\x00b\n", "is not valid YAML: control characters are not allowed"},
		{"a null byte in quotes is text, and no name", object("  name: \"a\\0b\"\n"), `metadata.name "a\x00b" has unprintable characters`},
		{"an escape sequence in a name", object("  name: \"a\\e[31mb\"\n"), `a.yaml:4: metadata.name "a\x1b[31mb" has unprintable characters`},
		{"a line feed in a name", object("  name: \"a\\n::error::x\"\n"), "has unprintable characters"},
		{"a line feed in a kind", "apiVersion: v1\nkind: \"A\\nB\"\nmetadata: {name: a}\n", `a.yaml:2: kind "A\nB" is not the name of a kind: letters and digits, 63 at most`},
		{"a path for a name", object("  name: ../../secrets/x\n"), `a.yaml:4: metadata.name "../../secrets/x" may not contain '/'`},
		{"the directory above for a name", object("  name: ..\n"), `a.yaml:4: metadata.name ".." may not be '..'`},
		{"a path for a namespace", object("  name: a\n  namespace: ../x\n"), `a.yaml:5: metadata.namespace "../x" is not the name of a namespace: `},
		{"a name of capitals for a namespace", object("  name: a\n  namespace: Shop\n"), "a lowercase RFC 1123 label"},
		{"a group that is none", "apiVersion: a b/v1\nkind: A\nmetadata: {name: a}\n", `a.yaml:1: apiVersion "a b/v1" is not <group>/<version>`},
		{"a version in three parts", "apiVersion: a/b/v1\nkind: A\nmetadata: {name: a}\n", `a.yaml:1: apiVersion "a/b/v1" is not <group>/<version>`},
		{"a kind that is a number", "apiVersion: v1\nkind: 3\nmetadata: {name: a}\n", "a.yaml:1: is not a Kubernetes object: apiVersion and kind are required and must be strings"},
		{"a version that is a list", "apiVersion: [v1]\nkind: A\nmetadata: {name: a}\n", "apiVersion and kind are required and must be strings"},
		{"metadata that is a text", "apiVersion: v1\nkind: A\nmetadata: a\n", "a.yaml:3: A has no metadata with a name"},
		{"a name that is a number", object("  name: 3\n"), "a.yaml:4: A has no metadata.name that is a string: 3 (quote it)"},
		{"a name that is made up", object("  generateName: a-\n"), "a.yaml:4: A has no metadata.name: generateName would make a new object on every apply"},
		{"a label with a space", object("  name: a\n  labels:\n    a b: c\n"), `a.yaml:6: metadata.labels has "a b": name part must consist of alphanumeric characters`},
		{"a value of a label with a space", object("  name: a\n  labels:\n    a: b c\n"), `a.yaml:6: metadata.labels has "a": "b c" is not a valid label value`},
		{"a label that is a number", object("  name: a\n  labels:\n    a: 1\n"), `a.yaml:6: metadata.labels has "a": 1, which is not a string; quote it`},
		{"an annotation in two parts too many", object("  name: a\n  annotations:\n    a/b/c: d\n"), `a.yaml:6: metadata.annotations has "a/b/c": a valid label key must consist of`},
		{"a number that is infinite", plain + "v: .inf\n", "a.yaml:4: is not a number that JSON can represent"},
		{"a List in a List", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: []\n", "a.yaml:4: items[0] is a List in a List; put its objects into one List"},
		{"a List of a mapping", "apiVersion: v1\nkind: List\nitems: {a: b}\n", "a.yaml:3: is a List, but items is not a list of objects"},
		{"a List without items", "apiVersion: v1\nkind: List\nmetadata: {name: a}\n", "is a List, but items is not a list of objects"},
		{"a Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n", "a.yaml:1: is a Git LFS pointer; accord does not read LFS: commit the file itself"},
		{"binary", "\x7fELF\x02\x01\x01\x00", "a.yaml:1: is not valid YAML: control characters"},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, single(c.text), c.want) })
	}
}

// TestHostileIsNotEverythingOdd reads unusual manifests that an API server accepts.
func TestHostileIsNotEverythingOdd(t *testing.T) {
	for _, c := range []struct {
		name, text string
		objects    int
	}{
		{"empty", "", 0},
		{"only comments", "# nothing\n# more\n", 0},
		{"only markers", "---\n---\n...\n---\n", 0},
		{"only spaces", "  \n\n \n", 0},
		{"a byte order mark and nothing", "\ufeff", 0},
		{"as many markers as fit", filled("---\n"), 0},
		{"as many comments as fit", plain + filled("# nothing that is worth more than a line of its own\n"), 1},
		{"as many spaces as fit", plain + "v:" + filled(" ") + "a\n", 1},
		{"a text as long as fits", plain + "v: |\n" + strings.Repeat("  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 100_000), 1},
		{"a name of RBAC", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'system:Admin'}\n", 1},
		{"a CustomResourceDefinition without a schema", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.x.org}\nspec: {group: x.org, names: {kind: A, plural: as}, scope: Cluster, versions: [{name: v1, served: true, storage: true}]}\n", 1},
		{"a kind whose name ends with List", "apiVersion: x.org/v1\nkind: AllowList\nmetadata: {name: a}\nitems: [1]\n", 1},
		{"a number beyond all floats is a text", plain + "v: 1e999\n", 1},
		{"a number beyond 64 bits is one of JSON", plain + "v: 99999999999999999999\n", 1},
		{"names that differ in case", plain + "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: A}\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a}\n", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			objects, err := Build(single(c.text), Options{})
			require.NoError(t, err)
			require.Len(t, objects, c.objects)
			require.Less(t, time.Since(start), hostileTime)
		})
	}
}

func TestHostileTrees(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a JSON file with more behind its end", map[string]string{"a.json": `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}} x`}, "a.json:1: is not valid YAML: "},
		{"two objects in one line of JSON", map[string]string{"a.json": `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}{"kind":"A"}`}, "a.json:1: "},
		{"the same object in two files", map[string]string{"a.yaml": plain, "b.yaml": plain}, "b.yaml:1: A a is defined a second time, first at a.yaml:1"},
		{"the same object in files whose names differ in case", map[string]string{"A.yaml": plain, "a.yaml": plain}, "a.yaml:1: A a is defined a second time, first at A.yaml:1"},
		{"the same object in two versions", map[string]string{"a.yaml": "apiVersion: x.org/v1\nkind: A\nmetadata: {name: a}\n", "b.yaml": "apiVersion: x.org/v2\nkind: A\nmetadata: {name: a}\n"}, "b.yaml:1: x.org/A a is defined a second time"},
		{"a line feed in the name of a file", map[string]string{"a\n::error::.yaml": plain}, `contains a name with unprintable characters: "a\n::error::.yaml"`},
		{"a name that is not UTF-8", map[string]string{"a/\xff.yaml": plain}, `a: contains a name with unprintable characters: "\xff.yaml"`},
		{"an escape sequence in the name of a directory", map[string]string{"a\x1b[0m/a.yaml": plain}, "contains a name with unprintable characters"},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, treeOf(c.files), c.want) })
	}

	t.Run("many files, all wrong", func(t *testing.T) {
		files := map[string]string{}
		for i := range 5000 {
			files[fmt.Sprintf("%d.yaml", i)] = "a\n"
		}
		refused(t, treeOf(files), ".: has 1000 mistakes or more; the rest of it was not read")
	})
	t.Run("many objects, all twice", func(t *testing.T) {
		refused(t, treeOf(map[string]string{"a.yaml": strings.Repeat("---\n"+plain, 5000)}), ".: has 1000 mistakes or more")
	})
	t.Run("names that nobody reads do not matter", func(t *testing.T) {
		objects, err := Build(treeOf(map[string]string{"a\n.txt": "x", "a.yaml": plain}), Options{})
		require.NoError(t, err)
		require.Len(t, objects, 1)
	})
	t.Run("a file that must not be read", func(t *testing.T) {
		fsys := unreadable{treeOf(map[string]string{"a.yaml": plain, "b.yaml": plain}), "b.yaml"}
		refused(t, fsys, "b.yaml: cannot be read: permission denied")
	})
	t.Run("links in a circle", func(t *testing.T) {
		dir := t.TempDir()
		require.NoError(t, os.Symlink("b.yaml", filepath.Join(dir, "a.yaml")))
		require.NoError(t, os.Symlink("a.yaml", filepath.Join(dir, "b.yaml")))
		refused(t, os.DirFS(dir), "a.yaml: is a link that cannot be followed")
	})
}

// unreadable is a tree with one file that must not be read.
type unreadable struct {
	fstest.MapFS
	name string
}

func (u unreadable) Open(name string) (fs.File, error) {
	if name == u.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return u.MapFS.Open(name)
}

func (u unreadable) ReadFile(name string) ([]byte, error) {
	if _, err := u.Open(name); err != nil {
		return nil, err
	}
	return u.MapFS.ReadFile(name)
}
