package bundles

// trial is a question to the agent of a cluster.
type trial struct{ cluster, id string }

// Await returns a channel that gets the verdict of the agent of a cluster about a trial. The caller calls end when it waits no longer.
func (s *Store) Await(cluster, id string) (verdict <-chan []byte, end func()) {
	t, answer := trial{cluster, id}, make(chan []byte, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trials[t] = answer
	return answer, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.trials, t)
	}
}

// Answer passes a verdict on. It returns false if nobody waits for it: only the first verdict counts.
func (s *Store) Answer(cluster, id string, verdict []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := trial{cluster, id}
	answer, there := s.trials[t]
	if there {
		answer <- verdict
		delete(s.trials, t)
	}
	return there
}
