package manifest_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
)

func TestID(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": map[string]any{"namespace": "shop", "name": "system:web"},
	}}
	id := manifest.IDOf(u)
	require.Equal(t, "rbac.authorization.k8s.io/Role shop/system:web", id.String())
	require.Equal(t, "Namespace shop", manifest.ID{Kind: "Namespace", Name: "shop"}.String())
	require.Equal(t, "Role.rbac.authorization.k8s.io", id.GroupKind().String())
	require.Equal(t, "shop_system__web_rbac.authorization.k8s.io_Role", id.Entry())
	for _, id := range []manifest.ID{id, {Kind: "Namespace", Name: "shop"}, {Group: "apps", Kind: "Deployment", Namespace: "a", Name: "b.c"}} {
		back, err := manifest.ParseEntry(id.Entry())
		require.NoError(t, err)
		require.Equal(t, id, back)
	}
	for _, bad := range []string{"", "a", "a_b", "a_b_c"} {
		_, err := manifest.ParseEntry(bad)
		require.Error(t, err, bad)
	}
}

func TestCompare(t *testing.T) {
	sorted := []manifest.ID{{Kind: "A", Name: "z"}, {Kind: "B", Name: "a"}, {Kind: "B", Namespace: "n", Name: "a"}, {Group: "g", Kind: "A", Name: "a"}}
	shuffled := []manifest.ID{sorted[2], sorted[0], sorted[3], sorted[1]}
	slices.SortFunc(shuffled, manifest.ID.Compare)
	require.Equal(t, sorted, shuffled)
}

func TestOrigin(t *testing.T) {
	require.Equal(t, "a.yaml:3", manifest.Origin{Path: "a.yaml", Line: 3}.String())
	require.Equal(t, "a.yaml:3", manifest.Origin{Path: "a.yaml", Line: 3, Column: 5}.String(), "reports say the column themselves")
	require.Equal(t, "apps//a.yaml", manifest.Origin{Source: "apps", Path: "a.yaml"}.String())
}
