package memberserver

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// store shares the contents of one server. Its methods take the lock, and may be called from any goroutine.
type store struct {
	mu       sync.RWMutex
	contents *contents
}

func newStore(h *Host) *store { return &store{contents: newContents(h)} }

// get returns a record; nil if there is none.
func (s *store) get(r resource, name types.NamespacedName) *record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.contents.records[r][name]
}

// now returns the version of the last change, and a channel that the next change closes.
func (s *store) now() (version uint64, changed <-chan struct{}) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.contents.version, s.contents.changed
}

// since returns the changes of a kind after a version, the version of the last change, and a channel that the next change closes.
func (s *store) since(r resource, version uint64) (changes []change, now uint64, changed <-chan struct{}, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	changes, err = s.contents.since(r, version)
	return changes, s.contents.version, s.contents.changed, err
}

// at returns all objects of a kind in the state of a version, 0 for now, sorted by namespace and name.
func (s *store) at(r resource, version uint64) (records []*record, then uint64, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.contents.at(r, version)
}

// pages returns the same as at, and keeps it for the next page of the list.
func (s *store) pages(r resource, version uint64) (records []*record, then uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.contents.pages(r, version)
}

// paged forgets a list whose last page was sent.
func (s *store) paged(r resource, version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contents.paged(r, version)
}

// apply creates an object, or merges a request into the live one.
func (s *store) apply(w write) (now *record, created bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.contents.apply(w)
}

// create creates an object, and fails if the object exists.
func (s *store) create(w write) (*record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.contents.create(w)
}

// remove deletes an object: see contents.remove.
func (s *store) remove(r resource, name types.NamespacedName, o metav1.DeleteOptions) (last *record, marked bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.contents.remove(r, name, o)
}

// begin creates a namespace that exists from the start.
func (s *store) begin(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contents.begin(namespace)
}

// close removes all objects from the metrics.
func (s *store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contents.close()
}
