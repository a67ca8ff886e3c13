package clusters

import "sync"

// Registry is the members by name. The zero value is empty; it may be used from any goroutine.
type Registry struct {
	mu      sync.RWMutex
	members map[string]*Member
}

// Get is false for a cluster that was never connected or was removed.
func (r *Registry) Get(name string) (*Member, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m, ok := r.members[name]
	return m, ok
}

// Set puts m in place of the member of the same name, which is closed: new credentials are a new Member.
func (r *Registry) Set(m *Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.members == nil {
		r.members = map[string]*Member{}
	}
	if old := r.members[m.Name]; old != nil && old != m {
		old.Close()
	}
	r.members[m.Name] = m
}

// Remove closes and forgets a member; one that is not there is fine.
func (r *Registry) Remove(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.members[name]; old != nil {
		old.Close()
	}
	delete(r.members, name)
}
