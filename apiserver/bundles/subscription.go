package bundles

// Subscription signals the changes of the bundle of one cluster, or of all bundles.
type Subscription struct {
	store   *Store
	cluster string
	changed chan struct{}
}

// Subscribe returns a Subscription to the bundle of a cluster, whether or not it has one; "" subscribes to all bundles. It returns false if
// limit Subscriptions to the same exist. The caller subscribes first and reads afterwards, and closes the Subscription.
func (s *Store) Subscribe(cluster string, limit int) (*Subscription, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting[cluster]) >= limit {
		return nil, false
	}
	sub := &Subscription{store: s, cluster: cluster, changed: make(chan struct{}, 1)}
	if s.waiting[cluster] == nil {
		s.waiting[cluster] = map[*Subscription]struct{}{}
	}
	s.waiting[cluster][sub] = struct{}{}
	s.counts.Waiting++
	return sub, true
}

// Changed has a value after a change. Changes that follow each other leave one value.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

// Close ends the Subscription.
func (s *Subscription) Close() {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	all := s.store.waiting[s.cluster]
	if _, there := all[s]; !there {
		return
	}
	delete(all, s)
	s.store.counts.Waiting--
	if len(all) == 0 {
		delete(s.store.waiting, s.cluster)
	}
}

// signal signals a change. The caller has the lock.
func (s *Store) signal(cluster string) {
	for _, key := range []string{cluster, ""} {
		for sub := range s.waiting[key] {
			select {
			case sub.changed <- struct{}{}:
			default: // a value is there already
			}
		}
	}
}
