package memberserver

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// history is the least number of changes that a server keeps. A watch or a page of a list that continues from an older version
// fails as expired.
const history = 256

// contents has the objects of one server and their last changes. It belongs to a store.
type contents struct {
	host    *Host
	version uint64
	records map[resource]map[types.NamespacedName]*record
	past    []change // in the order of their versions
	changed chan struct{}
}

// change is a change of one object. before is nil if now was created. If gone, now is the last state, with the version of the
// deletion.
type change struct {
	resource    resource
	before, now *record
	gone        bool
}

func newContents(h *Host) *contents {
	return &contents{host: h, records: map[resource]map[types.NamespacedName]*record{}, changed: make(chan struct{})}
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
		objects.Dec()
	case c.before == nil:
		objects.Inc()
		fallthrough
	default:
		records[c.now.NamespacedName] = c.now
	}
	s.host.counts.written.Set(float64(time.Now().UnixMicro()) / 1e6)
	s.version = c.now.version
	if s.past = append(s.past, c); len(s.past) >= 2*history {
		s.past = slices.Clone(s.past[len(s.past)-history:])
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

// at returns all objects of a kind in the state of a version, 0 for now, sorted by namespace and name.
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
