package fanout

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Mapper finds kinds on the first of several servers that has them. It asks the others only about kinds that the first one does not have.
type Mapper []func() (meta.RESTMapper, error)

// first returns what the first server that knows it answers, else the error of the first server.
func first[T any](servers Mapper, ask func(meta.RESTMapper) (T, error)) (found T, err error) {
	for i, server := range servers {
		mapper, failed := server()
		if failed == nil {
			if found, failed = ask(mapper); failed == nil {
				return found, nil
			}
		}
		if i == 0 || meta.IsNoMatchError(failed) && !meta.IsNoMatchError(err) {
			err = failed
		}
	}
	return found, err
}

// KindFor implements meta.RESTMapper.
func (m Mapper) KindFor(r schema.GroupVersionResource) (schema.GroupVersionKind, error) {
	return first(m, func(s meta.RESTMapper) (schema.GroupVersionKind, error) { return s.KindFor(r) })
}

// KindsFor implements meta.RESTMapper.
func (m Mapper) KindsFor(r schema.GroupVersionResource) ([]schema.GroupVersionKind, error) {
	return first(m, func(s meta.RESTMapper) ([]schema.GroupVersionKind, error) { return s.KindsFor(r) })
}

// ResourceFor implements meta.RESTMapper.
func (m Mapper) ResourceFor(r schema.GroupVersionResource) (schema.GroupVersionResource, error) {
	return first(m, func(s meta.RESTMapper) (schema.GroupVersionResource, error) { return s.ResourceFor(r) })
}

// ResourcesFor implements meta.RESTMapper.
func (m Mapper) ResourcesFor(r schema.GroupVersionResource) ([]schema.GroupVersionResource, error) {
	return first(m, func(s meta.RESTMapper) ([]schema.GroupVersionResource, error) { return s.ResourcesFor(r) })
}

// RESTMapping implements meta.RESTMapper.
func (m Mapper) RESTMapping(gk schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	return first(m, func(s meta.RESTMapper) (*meta.RESTMapping, error) { return s.RESTMapping(gk, versions...) })
}

// RESTMappings implements meta.RESTMapper.
func (m Mapper) RESTMappings(gk schema.GroupKind, versions ...string) ([]*meta.RESTMapping, error) {
	return first(m, func(s meta.RESTMapper) ([]*meta.RESTMapping, error) { return s.RESTMappings(gk, versions...) })
}

// ResourceSingularizer implements meta.RESTMapper.
func (m Mapper) ResourceSingularizer(r string) (string, error) {
	return first(m, func(s meta.RESTMapper) (string, error) { return s.ResourceSingularizer(r) })
}
