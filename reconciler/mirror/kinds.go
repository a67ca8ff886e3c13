package mirror

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// allKinds returns the kinds of all objects that are wanted or were.
func (s *entries) allKinds() []schema.GroupVersionKind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.kinds))
}

// recall adds the kinds that an earlier process recorded on the hub.
func (s *entries) recall(note string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parent = true
	for name := range strings.SplitSeq(note, ",") {
		if gk := schema.ParseGroupKind(name); gk.Kind != "" {
			s.kinds[gk] = gk.WithVersion("")
		}
	}
}

// isRecorded reports whether the hub has this record of the kinds.
func (s *entries) isRecorded(note string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parent && s.recorded == note
}

// setRecorded records that this process wrote the record of the kinds.
func (s *entries) setRecorded(note string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parent, s.recorded = true, note
}
