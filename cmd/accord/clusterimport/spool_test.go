package clusterimport

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/propagate/importer"
)

func TestSpool(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	s, err := openSpool(dir, "one")
	require.NoError(t, err)
	r := importer.Resource{GroupVersionResource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, APIResource: metav1.APIResource{Name: "deployments"}}
	_, kept := s.load("a", r)
	require.False(t, kept)
	objects := []*unstructured.Unstructured{{Object: map[string]any{"kind": "Deployment", "spec": map[string]any{"replicas": int64(2)}}}}
	require.NoError(t, s.save("a", r, objects))

	again, err := openSpool(dir, "one")
	require.NoError(t, err)
	found, kept := again.load("a", r)
	require.True(t, kept)
	require.Equal(t, objects, found)
	require.NoError(t, os.WriteFile(again.file("a", r), []byte("[{"), 0o600))
	_, kept = again.load("a", r)
	require.False(t, kept, "a file that cannot be read")
	_, err = openSpool(dir, "two")
	require.ErrorContains(t, err, "with other flags")

	require.NoError(t, s.remove())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	_, err = openSpool(dir, "one")
	require.ErrorContains(t, err, "is not empty")
}
