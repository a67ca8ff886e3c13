package manager

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// counting is a mapper that counts the questions.
type counting struct {
	meta.RESTMapper
	asked int
}

func (c *counting) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	c.asked++
	return c.RESTMapper.RESTMapping(gk, versions...)
}

func TestMapperAsksOnceForAKindThatIsServed(t *testing.T) {
	version := schema.GroupVersion{Group: "a.io", Version: "v1"}
	served := meta.NewDefaultRESTMapper([]schema.GroupVersion{version})
	below := &counting{RESTMapper: served}
	m := &mapper{RESTMapper: below}
	gadget := version.WithKind("Gadget")

	for range 2 {
		_, err := m.RESTMapping(gadget.GroupKind(), gadget.Version)
		require.True(t, meta.IsNoMatchError(err))
	}
	require.Equal(t, 2, below.asked, "a kind that is not served yet may be served later")

	served.Add(gadget, meta.RESTScopeNamespace)
	for range 3 {
		found, err := m.RESTMapping(gadget.GroupKind(), gadget.Version)
		require.NoError(t, err)
		require.Equal(t, version.WithResource("gadgets"), found.Resource)
	}
	require.Equal(t, 3, below.asked)

	served.Add(schema.GroupVersionKind{Group: "a.io", Version: "v2", Kind: "Gadget"}, meta.RESTScopeNamespace)
	found, err := m.RESTMapping(gadget.GroupKind(), "v2")
	require.NoError(t, err)
	require.Equal(t, "v2", found.Resource.Version)
	found, err = m.RESTMapping(gadget.GroupKind())
	require.NoError(t, err)
	require.Equal(t, "v1", found.Resource.Version, "without a version, the mapper below chooses one")
}
