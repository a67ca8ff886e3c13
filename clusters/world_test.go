package clusters

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/clusters/local/localtest"
)

// plane is the one member that all tests of this package share.
var plane *localtest.ControlPlane

func TestMain(m *testing.M) {
	os.Exit(withPlane(m))
}

func withPlane(m *testing.M) int {
	dir, err := os.MkdirTemp("", "clusters")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	member, err := localtest.Launch(dir, "member")
	if err != nil {
		panic(err)
	}
	defer member.Kill()
	plane = member.Planes["member"]
	return m.Run()
}

var (
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

func connect(t *testing.T, cfg *rest.Config) *Member {
	m, err := Connect(cfg, "member")
	require.NoError(t, err)
	t.Cleanup(m.Close)
	return m
}

// put writes a ConfigMap of the inventory id into namespace default; it goes with the test.
func put(t *testing.T, m *Member, name, id, value string) {
	t.Helper()
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q,"namespace":"default","labels":{"applyset.kubernetes.io/part-of":%q}},"data":{"key":%q}}`, name, id, value)
	_, err := m.Metadata.Resource(configMaps).Namespace("default").Patch(t.Context(), name, types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: "test"})
	require.NoError(t, err)
	t.Cleanup(func() { // it may be gone already
		_ = m.Metadata.Resource(configMaps).Namespace("default").Delete(context.Background(), name, metav1.DeleteOptions{})
	})
}

func remove(t *testing.T, m *Member, name string) {
	t.Helper()
	require.NoError(t, m.Metadata.Resource(configMaps).Namespace("default").Delete(t.Context(), name, metav1.DeleteOptions{}))
}
