package mirror

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/accord-dev/accord/api/manifest"
)

// entry is one object of the mirror. Only entries reads and changes its record.
type entry struct {
	id manifest.ID
	// writing serializes the requests that write the object: see writer.
	writing sync.Mutex
	record  record
}

// record is the wanted and the observed state of one object. A change replaces the values that it points to, so that a copy
// of a record stays as it is.
type record struct {
	// want is the template of owner; nil if no Federation wants the object.
	owner string
	want  *Template
	// decision is that of want.
	decision string
	// replicas replaces the decided number once autoscalers of the members run another one; nil before.
	replicas *int64
	// have is nil if the hub does not have the object.
	have *observed
	// sent is the status that was written last; nil before the first.
	sent map[string]any
	// foreign: the hub has an object that the mirror did not create, and leaves alone.
	foreign bool
	// unserved: the hub does not serve the kind.
	unserved bool
}

// observed is the recorded part of a live object that carries the label of the mirror.
type observed struct {
	gvk        schema.GroupVersionKind
	uid        types.UID
	version    string
	generation int64
	owner      string
	decision   string
	finalizers bool
	deleting   bool
	// replicas of the spec; nil if there are none, or they are not known.
	replicas *int64
	// status of the object, or the status that this process wrote last.
	status map[string]any
	// modified: somebody else changed the spec or the owner.
	modified bool
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

// observed returns status.observedGeneration; 0 if there is none.
func (s *observed) observed() int64 {
	n, _ := s.status["observedGeneration"].(int64)
	return n
}

// isDone reports whether a reader of the status takes the generation for rolled out.
func (s *observed) isDone() bool {
	_, reports := s.status["observedGeneration"]
	return reports && s.observed() >= s.generation
}

// isNewer reports whether s is at least as new as the version that a watch shows.
func (s *observed) isNewer(shown *observed) bool {
	if s == nil || s.uid != shown.uid {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(shown.version, s.version)
	return err == nil && order <= 0
}

// isDue reports whether the object has to be written or removed.
func (r *record) isDue() bool {
	if r.want == nil {
		return r.have != nil && !r.have.deleting && r.have.owner == r.owner
	}
	return r.have == nil || r.have.decision != r.decision || r.have.modified || r.have.deleting ||
		r.replicas != nil && (r.have.replicas == nil || *r.have.replicas != *r.replicas)
}

// adopt makes a template of a Federation the wanted state.
func (r *record) adopt(federation string, t *Template) {
	if decision := t.Decision(); r.want == nil || r.decision != decision {
		r.decision, r.replicas, r.foreign = decision, nil, false
	}
	r.owner, r.want = federation, t
}

// release records that a Federation does not want its object any more.
func (r *record) release(federation string) {
	r.owner, r.want, r.sent, r.foreign = federation, nil, nil, false
}

// shown records the version that a watch shows, and returns the follow-up that it requires.
func (r *record) shown(now *observed, opened bool) reaction {
	if r.have.isNewer(now) {
		return reaction{}
	}
	if r.have != nil && r.have.uid == now.uid {
		now.modified = r.have.modified || now.generation > r.have.generation || now.owner != r.have.owner
	}
	r.have = now
	next := reaction{write: opened && r.isDue()}
	if r.sent != nil && !contains(now.status, r.sent) {
		r.sent = nil
		next.requestStatus, next.owner = true, r.owner
	}
	return next
}

// applied records the version that a write made from before. It reports whether the status still reads as if the new decision
// were carried out, because the generation did not move with the decision.
func (r *record) applied(before, now *observed) (outdated bool) {
	if r.have != nil && r.have.uid == now.uid { // the watch may have been quicker
		now.status = r.have.status
	}
	r.have, r.foreign = now, false
	created := before == nil || before.uid != now.uid
	if created {
		r.sent = nil
	}
	return !created && before.decision != now.decision && now.isDone()
}

// deletes records that the deletion of a version was accepted.
func (r *record) deletes(version *observed) {
	if r.have != nil && r.have.uid == version.uid { // else the watch has shown already that it is gone
		going := *r.have
		going.deleting = true
		r.have = &going
	}
}

// shows reports whether the object has a status, as far as is known. It does too if the object is gone: the next one that
// is created requests its status.
func (r *record) shows(next map[string]any) bool {
	if r.have == nil {
		return true
	}
	same := r.sent != nil && contains(r.sent, next) && contains(next, r.sent) || r.sent == nil && contains(r.have.status, next)
	if same {
		r.sent = next
	}
	return same
}

// wrote records the status that was written with a resource version.
func (r *record) wrote(status map[string]any, uid types.UID, version string) {
	r.sent = status
	if r.have != nil && r.have.uid == uid {
		now := *r.have
		now.version, now.status = version, status
		r.have = &now
	}
}

// scale makes the number of replicas that run on the members the wanted one; false if it is that already.
func (r *record) scale(running int64) bool {
	if r.have == nil || r.have.replicas == nil || *r.have.replicas == running {
		return false
	}
	r.replicas = &running
	return true
}

// goesFirst reports whether other objects need this one: it is written before and removed after all others.
func goesFirst(id manifest.ID) bool {
	gk := id.GroupKind()
	return gk == namespaceKind || gk == manifest.DefinitionKind
}
