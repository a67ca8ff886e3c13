package bundles

// question is one that the agent of a cluster answers.
type question struct{ cluster, id string }

// Await returns a channel that gets the answer of the agent of a cluster to a question. The caller calls end when it waits no longer.
func (s *Store) Await(cluster, id string) (answer <-chan []byte, end func()) {
	q, answered := question{cluster, id}, make(chan []byte, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[q] = answered
	return answered, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asked, q)
	}
}

// Answer passes an answer on. It returns false if nobody waits for it: only the first answer counts.
func (s *Store) Answer(cluster, id string, text []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := question{cluster, id}
	answered, there := s.asked[q]
	if there {
		answered <- text
		delete(s.asked, q)
	}
	return there
}
