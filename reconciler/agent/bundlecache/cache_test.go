package bundlecache

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/delivery"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/bundle"
)

var one, two, script = []byte(`{"kind":"Secret"}`), []byte(`{"kind":"ConfigMap"}`), []byte(`{}`)

func name(content []byte) string { return delivery.Digest(content) }

// index returns one with a script and objects.
func index(sequence uint64, objects ...[]byte) *bundle.Index {
	part := bundle.Part{Namespace: "shop", Name: "web", Scripts: name(script)}
	for _, o := range objects {
		part.Objects = append(part.Objects, bundle.Object{SHA256: name(o)})
	}
	return &bundle.Index{Cluster: "eu", Epoch: "uid", Sequence: sequence, Parts: []bundle.Part{part}}
}

func of(contents ...[]byte) func(string) []byte {
	return func(wanted string) []byte {
		for _, c := range contents {
			if name(c) == wanted {
				return c
			}
		}
		return nil
	}
}

func open(t *testing.T, dir string) *Cache {
	t.Helper()
	c, err := Open(dir)
	require.NoError(t, err)
	return c
}

// saved returns a directory that has the index of sequence 2, with one and two.
func saved(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, open(t, dir).Save(index(2, one, two), of(one, two, script)))
	return dir
}

func TestABundleIsKept(t *testing.T) {
	dir := saved(t)
	c := open(t, dir)
	got, contents, err := c.Load("eu")
	require.NoError(t, err)
	require.Equal(t, index(2, one, two), got)
	require.Equal(t, bundle.Contents{name(one): one, name(two): two, name(script): script}, contents)

	require.NoError(t, c.Save(index(3, two), of()), "what has a file is not asked for")
	got, contents, err = open(t, dir).Load("eu")
	require.NoError(t, err)
	require.Equal(t, uint64(3), got.Sequence)
	require.Len(t, contents, 2)
	require.NoFileExists(t, filepath.Join(dir, folder, name(one)), "a content that no bundle has")
}

func TestOthersReadNothing(t *testing.T) {
	dir := saved(t)
	require.NoError(t, open(t, dir).SaveCluster(&v1alpha1.Cluster{}))
	folderInfo, err := os.Stat(filepath.Join(dir, folder))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), folderInfo.Mode().Perm())
	files, err := os.ReadDir(filepath.Join(dir, folder))
	require.NoError(t, err)
	require.Len(t, files, 5)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), f.Name())
	}
}

// A bundle that is not as it was saved is not executed.
func TestDamage(t *testing.T) {
	for what, c := range map[string]struct {
		damage  func(t *testing.T, dir string) error
		indexed bool // the index is known
	}{
		"a changed object":  {func(_ *testing.T, dir string) error { return os.WriteFile(filepath.Join(dir, name(one)), two, 0o600) }, true},
		"a missing object":  {func(_ *testing.T, dir string) error { return os.Remove(filepath.Join(dir, name(one))) }, true},
		"half an index":     {func(_ *testing.T, dir string) error { return os.Truncate(filepath.Join(dir, indexFile), 100) }, false},
		"an empty index":    {func(_ *testing.T, dir string) error { return os.Truncate(filepath.Join(dir, indexFile), 0) }, false},
		"a digest only":     {func(_ *testing.T, dir string) error { return os.Truncate(filepath.Join(dir, indexFile), digestLength) }, false},
		"an index with ../": {func(t *testing.T, dir string) error { return climbing(t, dir) }, true},
	} {
		t.Run(what, func(t *testing.T) {
			dir := saved(t)
			require.NoError(t, c.damage(t, filepath.Join(dir, folder)))
			cache := open(t, dir)
			got, contents, err := cache.Load("eu")
			require.Error(t, err)
			require.Nil(t, contents)
			require.Equal(t, c.indexed, got != nil)
			require.NoError(t, cache.Save(index(4, one, two), of(one, two, script)), "the next bundle is kept")
			_, contents, err = open(t, dir).Load("eu")
			require.NoError(t, err)
			require.Len(t, contents, 3)
		})
	}
}

// climbing writes an index that names a file outside of the directory.
func climbing(t *testing.T, dir string) error {
	t.Helper()
	i := index(2)
	i.Parts[0].Scripts = "../../etc/passwd"
	return (&Cache{dir: dir, kept: map[string]bool{}}).write(indexFile, i)
}

func TestTheBundleOfAnotherCluster(t *testing.T) {
	got, contents, err := open(t, saved(t)).Load("us")
	require.ErrorContains(t, err, `the index is for cluster "eu"`)
	require.Nil(t, got)
	require.Nil(t, contents)
}

// An older bundle would undo what is delivered now.
func TestAfterAFailedSaveNothingIsKept(t *testing.T) {
	dir := saved(t)
	require.ErrorContains(t, open(t, dir).Save(index(3, one), of()), "keeping the bundle")
	got, _, err := open(t, dir).Load("eu")
	require.NoError(t, err)
	require.Nil(t, got)
}

func TestTheClusterIsKept(t *testing.T) {
	c := open(t, t.TempDir())
	got, err := c.LoadCluster("eu")
	require.NoError(t, err)
	require.Nil(t, got)
	cluster := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "eu", UID: "uid", ResourceVersion: "7"}, Spec: v1alpha1.ClusterSpec{ID: "id"}, Status: v1alpha1.ClusterStatus{Message: "old"}}
	require.NoError(t, c.SaveCluster(cluster))
	got, err = c.LoadCluster("eu")
	require.NoError(t, err)
	require.Equal(t, &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "eu", UID: "uid"}, Spec: v1alpha1.ClusterSpec{ID: "id"}}, got)
	_, err = c.LoadCluster("us")
	require.ErrorContains(t, err, `"us"`)
}

func TestWithoutADirectoryNothingIsKept(t *testing.T) {
	c := open(t, "")
	require.NoError(t, c.Save(index(1, one), nil))
	require.NoError(t, c.SaveCluster(&v1alpha1.Cluster{}))
	got, contents, err := c.Load("eu")
	require.NoError(t, err)
	require.Nil(t, got)
	require.Nil(t, contents)
	require.False(t, c.Has(name(one)))
}
