// Package bundles holds the bundles of all clusters in memory: for each cluster an index, and the objects that it names by their SHA-256
// digests. Clusters share the objects that do not differ, in one copy that is compressed once.
package bundles

import (
	"container/list"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/accord-dev/accord/api/delivery"
)

// CompressedLimit is the limit of the compressed forms in bytes that a server uses: those of 1,000 clusters whose objects all differ.
const CompressedLimit = 64 << 20

// Bundle is the desired state of one cluster, as its publisher encodes it. The Store keeps the slices: nobody may change them afterwards.
type Bundle struct {
	// Index is a JSON document, which the Store does not read.
	Index []byte
	// Objects are JSON documents by their SHA-256 digests in lower-case hexadecimal. A nil one is the one that the Store has.
	Objects map[string][]byte
	// Federations that have objects for the cluster, for the figures.
	Federations int
}

// Store holds the bundles of all clusters. It owns them and the only lock. It is safe for concurrent use.
type Store struct {
	limit int64 // of compressed, in bytes

	mu       sync.Mutex
	open     bool
	clusters map[string]*published
	objects  map[string]*form // by digest
	waiting  map[string]map[*Subscription]struct{}
	asked    map[question]chan<- []byte // those without an answer
	versions map[string]string          // the resourceVersion of each Cluster
	visits   map[string]visit           // of the agent of each cluster
	// revision grows with every change. It begins at the time of the start, so that a watch that continues one of another process fails.
	revision, removal uint64 // removal is the revision of the last removal
	counts            Counts
	recent            *list.List // of the *form that have a compressed form, the most recently used first
	heard             func(cluster string, lasts time.Duration)
}

// published is the current bundle of one cluster.
type published struct {
	index   *form
	objects map[string]*form
	figures Figures
	// before is the digest of the index before, and added are the objects that its bundle did not have.
	before string
	added  []Object
}

// Figures describe the bundle of one cluster.
type Figures struct {
	Cluster              string
	Index                string // SHA-256 digest of the index
	Federations, Objects int
	Bytes                int64     // uncompressed, with the index
	First, Revision      uint64    // of the Store, when it got the first index and the current one
	Created, Published   time.Time // the times of the same
}

// Counts are the figures of the Store.
type Counts struct {
	Clusters, Objects int
	// Bytes of all objects and indexes, uncompressed; an object that clusters share counts once.
	Bytes int64
	// CompressedBytes are those of the compressed forms that are kept.
	CompressedBytes int64
	// Compressions and Evictions count since the start. An object is compressed again only after an eviction.
	Compressions, Evictions uint64
	// Waiting requests and watches.
	Waiting int
}

// New returns an empty Store that keeps compressed forms of at most limit bytes.
func New(limit int64) *Store {
	now := uint64(time.Now().UnixMicro())
	return &Store{
		limit: limit, clusters: map[string]*published{}, objects: map[string]*form{}, waiting: map[string]map[*Subscription]struct{}{}, asked: map[question]chan<- []byte{}, versions: map[string]string{}, visits: map[string]visit{},
		revision: now, removal: now, recent: list.New(),
	}
}

// Open records that this process publishes bundles. Before, requests are refused: another replica leads, or none does yet.
func (s *Store) Open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
}

// OnHeard sets the function that gets each sign of life of the agent of a cluster, and the time for which it counts; zero: the agent requests
// none. It must not block. It is set before the Store is open.
func (s *Store) OnHeard(heard func(cluster string, lasts time.Duration)) { s.heard = heard }

// visit is the last request of the agent of a cluster, by its user name.
type visit struct {
	agent string
	at    time.Time
}

// Hear records a sign of life of the agent of a cluster, which has the user name agent.
func (s *Store) Hear(cluster, agent string, lasts time.Duration) {
	s.mu.Lock()
	s.visits[cluster] = visit{agent, time.Now()}
	s.mu.Unlock()
	if s.heard != nil {
		s.heard(cluster, lasts)
	}
}

// Visited returns the time of the last request of an agent for the index of its cluster, which the hub has authorized; zero: it is not known.
func (s *Store) Visited(cluster, agent string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.visits[cluster]; v.agent == agent {
		return v.at
	}
	return time.Time{}
}

// SetClusterVersion records the resourceVersion of a Cluster; empty: it is gone.
func (s *Store) SetClusterVersion(cluster, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version == "" {
		delete(s.versions, cluster)
		delete(s.visits, cluster)
		return
	}
	s.versions[cluster] = version
}

// ClusterVersion returns the resourceVersion of a Cluster; empty if it is not known.
func (s *Store) ClusterVersion(cluster string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versions[cluster]
}

// Opened reports whether this process publishes bundles.
func (s *Store) Opened() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// Has reports whether a bundle has an object of this digest.
func (s *Store) Has(digest string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[digest] != nil
}

// Publish makes b the bundle of a cluster, at once for all readers. It changes nothing for the bundle that the cluster has already, and
// returns an error, which names the object, for an object that has another digest or is not JSON.
func (s *Store) Publish(cluster string, b Bundle) error {
	index := &form{digest: delivery.Digest(b.Index), body: b.Index}
	now := time.Now()
	if !json.Valid(b.Index) {
		return fmt.Errorf("bundle of cluster %s: the index is not JSON", cluster)
	}
	verified := map[string]bool{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for added := s.unknown(b.Objects, verified); len(added) > 0; added = s.unknown(b.Objects, verified) {
		s.mu.Unlock()
		err := verify(b.Objects, added, verified)
		s.mu.Lock()
		if err != nil {
			return fmt.Errorf("bundle of cluster %s: %w", cluster, err)
		}
	}
	old := s.clusters[cluster]
	if old != nil && old.index.digest == index.digest && old.named(b.Objects) {
		return nil
	}
	p := &published{index: index, objects: make(map[string]*form, len(b.Objects))}
	p.figures = Figures{Cluster: cluster, Index: index.digest, Federations: b.Federations, Objects: len(b.Objects), Bytes: int64(len(b.Index)), Created: now, Published: now}
	s.hold(index)
	if old != nil {
		p.before = old.index.digest
	}
	for digest, body := range b.Objects {
		f := s.objects[digest]
		if f == nil {
			f = &form{digest: digest, body: body, named: true}
			s.objects[digest] = f
		}
		s.hold(f)
		p.objects[digest] = f
		if old != nil && old.objects[digest] == nil {
			p.added = append(p.added, Object{digest, reader{s, f}})
		}
		p.figures.Bytes += int64(len(f.body))
	}
	s.revision++
	p.figures.First, p.figures.Revision = s.revision, s.revision
	if old != nil {
		p.figures.First, p.figures.Created = old.figures.First, old.figures.Created
		s.release(old)
	}
	s.clusters[cluster] = p
	s.signal(cluster)
	return nil
}

// unknown returns the digests of the objects that neither the Store has nor were verified. The caller has the lock.
func (s *Store) unknown(objects map[string][]byte, verified map[string]bool) []string {
	var unknown []string
	for digest := range objects {
		if s.objects[digest] == nil && !verified[digest] {
			unknown = append(unknown, digest)
		}
	}
	return unknown
}

// verify compares objects with their digests, and records those that are right.
func verify(objects map[string][]byte, digests []string, verified map[string]bool) error {
	for _, digest := range digests {
		if got := delivery.Digest(objects[digest]); got != digest {
			return fmt.Errorf("object %s has the digest %s", digest, got)
		}
		if !json.Valid(objects[digest]) {
			return fmt.Errorf("object %s is not JSON", digest)
		}
		verified[digest] = true
	}
	return nil
}

// Remove removes the bundle of a cluster. Readers find none from then on.
func (s *Store) Remove(cluster string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.clusters[cluster]
	if old == nil {
		return
	}
	delete(s.clusters, cluster)
	s.release(old)
	s.revision++
	s.removal = s.revision
	s.signal(cluster)
}

// named reports whether the bundle has exactly the objects of these digests.
func (p *published) named(objects map[string][]byte) bool {
	if len(p.objects) != len(objects) {
		return false
	}
	for digest := range objects {
		if p.objects[digest] == nil {
			return false
		}
	}
	return true
}

// hold counts a reference. The caller has the lock.
func (s *Store) hold(f *form) {
	if f.references++; f.references == 1 {
		s.counts.Bytes += int64(len(f.body))
	}
}

// release gives the references of a bundle back. The caller has the lock.
func (s *Store) release(p *published) {
	s.drop(p.index)
	for _, f := range p.objects {
		s.drop(f)
	}
}

// drop gives one reference back, and removes the object with the last one. The caller has the lock.
func (s *Store) drop(f *form) {
	if f.references--; f.references > 0 {
		return
	}
	s.counts.Bytes -= int64(len(f.body))
	s.discard(f)
	if f.named {
		delete(s.objects, f.digest)
	}
}

// Index is the index of one bundle. It stays readable after the next one was published.
type Index struct {
	// Digest is the SHA-256 digest of the index.
	Digest string
	reader
}

// Index returns the index of a cluster, and false if the cluster has no bundle.
func (s *Store) Index(cluster string) (Index, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.clusters[cluster]
	if p == nil {
		return Index{}, false
	}
	return Index{p.index.digest, reader{s, p.index}}, true
}

// Added returns the objects of the current bundle of a cluster that the bundle with the index before did not have; none for another index.
// current is the index that the reader got.
func (s *Store) Added(cluster, before, current string) []Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.clusters[cluster]; p != nil && before != "" && p.before == before && p.index.digest == current {
		return p.added
	}
	return nil
}

// Object is one object of a bundle. It stays readable after the bundle lost it.
type Object struct {
	Digest string
	reader
}

// Objects returns the objects with these digests in their order, and the digests that the bundle of the cluster does not have, whether or
// not another bundle has them. It returns false if the cluster has no bundle.
func (s *Store) Objects(cluster string, digests []string) (found []Object, absent []string, there bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.clusters[cluster]
	if p == nil {
		return nil, nil, false
	}
	found = make([]Object, 0, len(digests))
	for _, digest := range digests {
		if f := p.objects[digest]; f != nil {
			found = append(found, Object{digest, reader{s, f}})
		} else {
			absent = append(absent, digest)
		}
	}
	return found, absent, true
}

// Select returns the figures of the bundle of a cluster, none if it has no bundle, and of all bundles in no order for "". The revision is
// that of the Store.
func (s *Store) Select(cluster string) ([]Figures, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.selected(cluster), s.revision
}

// SelectSince returns the same figures to a reader that knows the bundles at a revision, and false if it cannot continue there: another
// process had that revision, or a bundle that the reader may know was removed since.
func (s *Store) SelectSince(cluster string, revision uint64) ([]Figures, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.clusters[cluster]
	known := p != nil && revision >= p.figures.First
	return s.selected(cluster), revision <= s.revision && (known || revision >= s.removal)
}

func (s *Store) selected(cluster string) []Figures {
	if cluster != "" {
		if p := s.clusters[cluster]; p != nil {
			return []Figures{p.figures}
		}
		return nil
	}
	all := make([]Figures, 0, len(s.clusters))
	for _, p := range s.clusters {
		all = append(all, p.figures)
	}
	return all
}

// Clusters returns the number of bundles.
func (s *Store) Clusters() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.clusters)
}

// Counts returns the figures of the Store.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	c.Clusters, c.Objects = len(s.clusters), len(s.objects)
	return c
}
