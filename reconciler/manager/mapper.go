package manager

import (
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// mapper remembers the resource of each version of a kind. A client asks for it before each write, and the mapper below looks through all
// groups of the hub. Like that one, mapper keeps a resource that the hub has served.
type mapper struct {
	meta.RESTMapper
	known sync.Map // from schema.GroupVersionKind to *meta.RESTMapping, which nobody changes
}

// newMapper implements manager.Options.MapperProvider.
func newMapper(cfg *rest.Config, c *http.Client) (meta.RESTMapper, error) {
	below, err := apiutil.NewDynamicRESTMapper(cfg, c)
	if err != nil {
		return nil, err
	}
	return &mapper{RESTMapper: below}, nil
}

// RESTMapping implements meta.RESTMapper.
func (m *mapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if len(versions) != 1 {
		return m.RESTMapper.RESTMapping(gk, versions...)
	}
	gvk := gk.WithVersion(versions[0])
	if known, is := m.known.Load(gvk); is {
		return known.(*meta.RESTMapping), nil
	}
	found, err := m.RESTMapper.RESTMapping(gk, versions...)
	if err == nil {
		m.known.Store(gvk, found)
	}
	return found, err
}
