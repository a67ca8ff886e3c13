package search

// history is the number of changes that a cache keeps for watches that continue. Older ones are read from the cluster.
const history = 200

// change is a change of a cache, or its position without one. It does not change once it is known.
type change struct {
	kind           string
	object, before *Object
	version        string // position of the cluster with the change
	revision       uint64 // 0: every watch gets it
	final          []*Object
	known          chan struct{} // closed with the change
	next           *change
}

// ends reports whether the change is the end of the cache.
func (n *change) ends() bool { return n.kind == Deleted && n.object == nil }

// journal has the last changes of a cache, which guards it. Watches follow the changes without the guard.
type journal struct {
	horizon uint64 // the oldest revision from which changes are known
	oldest  *change
	newest  *change // the next change
	length  int
}

func newJournal() journal {
	next := &change{known: make(chan struct{})}
	return journal{oldest: next, newest: next}
}

// add makes a change known.
func (j *journal) add(n change) {
	last := j.newest
	last.kind, last.object, last.before, last.version, last.revision, last.final = n.kind, n.object, n.before, n.version, n.revision, n.final
	last.next = &change{known: make(chan struct{})}
	j.newest = last.next
	close(last.known)
	for j.length++; j.length > history; j.length-- {
		j.horizon = max(j.horizon, j.oldest.revision)
		j.oldest = j.oldest.next
	}
}

// forget drops all changes. Those behind a revision will be known.
func (j *journal) forget(revision uint64) { j.oldest, j.length, j.horizon = j.newest, 0, revision }

// after returns the first change behind a revision; nil if the journal does not know all changes behind it.
func (j *journal) after(revision uint64) *change {
	if revision < j.horizon {
		return nil
	}
	n := j.oldest
	for n != j.newest && n.revision <= revision && !n.ends() {
		n = n.next
	}
	return n
}
