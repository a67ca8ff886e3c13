package memberserver

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// history is the least number of changes that a server keeps, and it keeps one for each object: an API server keeps the changes of
// five minutes, in which a client may change all of them. A watch or a page of a list that continues from an older version fails as
// expired.
const history = 256

// contents has the objects of one server and their last changes. It belongs to a store.
type contents struct {
	host    *Host
	version uint64
	records map[resource]map[types.NamespacedName]*record
	objects int      // in records
	past    []change // in the order of their versions
	changed chan struct{}
	// listed has the state of each kind that was listed in pages last: sorting all objects for each page would take most of the time
	// of a long list.
	listed map[resource]listing
}

// listing has all objects of a kind in the state of a version, sorted by namespace and name.
type listing struct {
	version uint64
	records []*record
}

// change is a change of one object. before is nil if now was created. If gone, now is the last state, with the version of the
// deletion.
type change struct {
	resource    resource
	before, now *record
	gone        bool
}

func newContents(h *Host) *contents {
	return &contents{host: h, records: map[resource]map[types.NamespacedName]*record{}, changed: make(chan struct{}), listed: map[resource]listing{}}
}

// add makes a change visible.
func (s *contents) add(c change) {
	records := s.records[c.resource]
	if records == nil {
		records = map[types.NamespacedName]*record{}
		s.records[c.resource] = records
	}
	objects := s.host.counts.objects.WithLabelValues(c.now.Namespace, c.resource.Resource)
	switch {
	case c.gone:
		delete(records, c.now.NamespacedName)
		s.objects--
		objects.Dec()
	case c.before == nil:
		s.objects++
		objects.Inc()
		fallthrough
	default:
		records[c.now.NamespacedName] = c.now
	}
	s.host.counts.written.Set(float64(time.Now().UnixMicro()) / 1e6)
	s.version = c.now.version
	kept := max(history, s.objects)
	if s.past = append(s.past, c); len(s.past) >= 2*kept {
		s.past = slices.Clone(s.past[len(s.past)-kept:])
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// since returns the changes of a kind after a version.
func (s *contents) since(r resource, version uint64) (changes []change, err error) {
	past, err := s.after(version)
	for _, c := range past {
		if c.resource == r {
			changes = append(changes, c)
		}
	}
	return changes, err
}

// after returns all changes after a version.
func (s *contents) after(version uint64) ([]change, error) {
	if version > s.version {
		return nil, apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", version, s.version), 1)
	}
	i, _ := slices.BinarySearchFunc(s.past, version+1, func(c change, v uint64) int { return cmp.Compare(c.now.version, v) })
	if i == 0 && s.version-version > uint64(len(s.past)) {
		return nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version, s.version))
	}
	return s.past[i:], nil
}

// pages returns the same as at, and keeps it for the next page of the list.
func (s *contents) pages(r resource, version uint64) (records []*record, then uint64, err error) {
	if kept := s.listed[r]; version > 0 && version == kept.version {
		return kept.records, version, nil
	}
	if records, then, err = s.at(r, version); err == nil {
		s.listed[r] = listing{then, records}
	}
	return records, then, err
}

// paged forgets a list whose last page was sent.
func (s *contents) paged(r resource, version uint64) {
	if s.listed[r].version == version {
		delete(s.listed, r)
	}
}

// at returns all objects of a kind in the state of a version, 0 for now, sorted by namespace and name. Nobody changes the list.
func (s *contents) at(r resource, version uint64) (records []*record, then uint64, err error) {
	then = cmp.Or(version, s.version)
	past, err := s.after(then)
	if err != nil {
		return nil, 0, err
	}
	undone := map[types.NamespacedName]*record{} // nil: did not exist
	for _, c := range slices.Backward(past) {
		if c.resource == r {
			undone[c.now.NamespacedName] = c.before
		}
	}
	for name, now := range s.records[r] {
		if _, other := undone[name]; !other {
			records = append(records, now)
		}
	}
	for _, before := range undone {
		if before != nil {
			records = append(records, before)
		}
	}
	slices.SortFunc(records, func(a, b *record) int { return byName(a.NamespacedName, b.NamespacedName) })
	return records, then, nil
}

// byName is the order of lists.
func byName(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// close removes all objects from the metrics.
func (s *contents) close() {
	for r, records := range s.records {
		for name := range records {
			s.host.counts.objects.WithLabelValues(name.Namespace, r.Resource).Dec()
		}
	}
	s.records = nil
}
