package render

import (
	"errors"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

// FuzzBuild requires that Build does not panic on any file. It returns objects with a name, a digest and a line, or an
// error with the file.
func FuzzBuild(f *testing.F) {
	f.Add([]byte(deployment(1) + "---\n" + configMap(2)))
	f.Add([]byte("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n"))
	f.Add([]byte("apiVersion: v1\nkind: A\nmetadata: {name: a}\nx: &x [*x]\ny: {<<: *x}\n...\n--- |\n a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		objects, err := Build(fstest.MapFS{"a.yaml": &fstest.MapFile{Data: data}}, Options{})
		if err != nil {
			found, ok := errors.AsType[*manifest.Error](err)
			require.True(t, ok)
			require.Equal(t, "a.yaml", found.Origin.Path)
			return
		}
		for _, o := range objects {
			require.NotEmpty(t, o.ID().Name)
			require.Positive(t, o.Origin.Line)
			copied := &unstructured.Unstructured{Object: o.Manifest.Get().DeepCopy().Object}
			require.Equal(t, o.Digest, Digest(copied))
			Strip(copied)
		}
	})
}
