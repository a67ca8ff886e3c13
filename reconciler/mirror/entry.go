package mirror

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/accord-dev/accord/api/manifest"
)

// entry is one object: what it should be and what it is.
type entry struct {
	id manifest.ID
	// busy is held while the object is written, and taken before Mirror.mu.
	busy sync.Mutex

	// want is the template of owner; nil when nobody wants it.
	owner string
	want  *Template
	// decision is that of want.
	decision string
	// replicas other than nil are those that autoscalers of the members made of what was decided.
	replicas *int64
	// have is nil when the object is not there.
	have *observed
	// asked is the status that was written last; nil before the first.
	asked map[string]any
	// why it is not as it should be; empty when it is, or was not tried yet.
	why string
	// unserved: the hub does not have the kind.
	unserved bool
}

// observed is the recorded part of a live object that carries our label.
type observed struct {
	gvk        schema.GroupVersionKind
	uid        types.UID
	version    string
	generation int64
	owner      string
	decision   string
	finalizers bool
	deleting   bool
	// replicas of the spec; nil when there are none, or they are not known.
	replicas *int64
	// status of the object, or the one that this process wrote last.
	status map[string]any
	// foreign: somebody else changed what is ours.
	foreign bool
}

func observe(u *unstructured.Unstructured) *observed {
	annotations := u.GetAnnotations()
	s := &observed{
		gvk: u.GroupVersionKind(), uid: u.GetUID(), version: u.GetResourceVersion(), generation: u.GetGeneration(),
		owner: annotations[OwnerAnnotation], decision: annotations[DecisionAnnotation],
		finalizers: len(u.GetFinalizers()) > 0, deleting: u.GetDeletionTimestamp() != nil,
	}
	s.status, _ = u.Object["status"].(map[string]any)
	if n, found, _ := unstructured.NestedInt64(u.Object, "spec", "replicas"); found {
		s.replicas = &n
	}
	return s
}

// observed is the status.observedGeneration; 0 when there is none.
func (s *observed) observed() int64 {
	n, _ := s.status["observedGeneration"].(int64)
	return n
}

// claims says that the status reads as if all was done.
func (s *observed) claims() bool {
	_, reports := s.status["observedGeneration"]
	return reports && s.observed() >= s.generation
}

// stale says that what a watch shows is older than what is known.
func (s *observed) stale(shown *observed) bool {
	if s == nil || s.uid != shown.uid {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(shown.version, s.version)
	return err == nil && order <= 0
}

// due says that the object has to be written or removed. The caller holds Mirror.mu.
func (e *entry) due() bool {
	if e.want == nil {
		return e.have != nil && !e.have.deleting && e.have.owner == e.owner
	}
	return e.have == nil || e.have.decision != e.decision || e.have.foreign || e.have.deleting ||
		e.replicas != nil && (e.have.replicas == nil || *e.have.replicas != *e.replicas)
}

// first are the objects that others need: they are written before all others and removed after them.
func (e *entry) first() bool {
	gk := e.id.GroupKind()
	return gk == namespaceKind || gk == crdKind
}

// sorted entries, by ID.
func sorted(entries map[*entry]bool) []*entry {
	return slices.SortedFunc(maps.Keys(entries), func(a, b *entry) int { return a.id.Compare(b.id) })
}
