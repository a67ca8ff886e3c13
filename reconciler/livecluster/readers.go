// Package livecluster keeps the readers of the live clusters that are sources of Federations.
package livecluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/source"
	"github.com/accord-dev/accord/source/cluster"
	"github.com/accord-dev/accord/status"
)

// Options of the Readers.
type Options struct {
	// Hub reads Clusters, Secrets reads Secrets without a cache.
	Hub, Secrets client.Reader
	// SecretsNamespace is the only namespace whose Secrets are credentials of Clusters.
	SecretsNamespace string
	// Networks are the private networks in which the servers of Secrets may be, beside those of the Tenant.
	Networks egress.Networks
	// Changed is called when a Federation has a new snapshot, or its cluster becomes unread or readable again.
	Changed func(federation types.NamespacedName)
	// Shared is set where several replicas share the clusters. The others cannot read the snapshots of this one.
	Shared bool
	// Dir keeps the newest snapshots on disk, which only the owner of the process can read; empty: they are in memory only.
	Dir string
}

// Readers has one reader for each source of each Federation, so that no Federation sees what only the credentials of another one may
// read. The nil Readers read nothing.
type Readers struct {
	Options
	spools spools

	mu      sync.Mutex
	readers map[key]*reader
}

type key struct {
	federation types.NamespacedName
	source     string
}

type reader struct {
	*cluster.Reader
	digest string // of the source and its credentials
}

// New returns Readers without a reader.
func New(o Options) *Readers {
	return &Readers{Options: o, readers: map[key]*reader{}, spools: spools{dir: o.Dir, written: map[key]spooled{}}}
}

var (
	errNoReaders = errors.New("a live cluster is read by the controllers only: accord up, or accord run")
	errShared    = errors.New("a live cluster cannot be the source where replicas share the clusters: run the controllers with --share-clusters=false")
)

// Request is the wish for a snapshot of a source.
type Request struct {
	Federation types.NamespacedName
	Source     v1alpha1.Source
	// Rules are those of the Tenant that governs the Federation.
	Rules *tenancy.Rules
}

// Snapshot returns the newest snapshot of a source. The first call begins to watch the cluster.
func (r *Readers) Snapshot(ctx context.Context, q Request) (source.Snapshot, error) {
	switch {
	case r == nil:
		return source.Snapshot{}, errNoReaders
	case r.Shared:
		return source.Snapshot{}, errShared
	}
	way, err := r.connection(ctx, q)
	if err != nil {
		r.close(key{q.Federation, q.Source.Name})
		return source.Snapshot{}, err
	}
	opened, err := r.open(q, way)
	if err != nil {
		return source.Snapshot{}, err
	}
	ctx, end := context.WithTimeout(ctx, timeout(q.Source))
	defer end()
	snapshot, err := opened.Snapshot(ctx)
	r.spools.keep(key{q.Federation, q.Source.Name}, opened.Latest(), err != nil)
	return snapshot, err
}

// Pin returns the snapshot that a standby runs, and keeps it on disk.
func (r *Readers) Pin(federation types.NamespacedName, name, revision string) (source.Snapshot, error) {
	s, err := r.At(federation, name, revision)
	if err == nil {
		r.spools.keep(key{federation, name}, s, true)
	}
	return s, err
}

func timeout(s v1alpha1.Source) time.Duration {
	if s.Timeout.Duration == 0 {
		return source.DefaultTimeout
	}
	return min(s.Timeout.Duration, v1alpha1.MaxSourceTimeout)
}

// At returns an earlier snapshot of a source, which is in memory or on disk.
func (r *Readers) At(federation types.NamespacedName, name, revision string) (source.Snapshot, error) {
	if r != nil {
		k := key{federation, name}
		if known := r.known(k); known != nil {
			if s, kept := known.At(revision); kept {
				return s, nil
			}
		}
		if s, kept := r.spools.at(k, revision); kept {
			return s, nil
		}
	}
	return source.Snapshot{}, fmt.Errorf("accord does not have the objects of the live cluster at %s any more", revision)
}

// Keep keeps the snapshots of a Federation that its Releases name, and closes the readers of sources that it does not have any more.
func (r *Readers) Keep(fed *v1alpha1.Federation, releases []v1alpha1.Release) {
	if r == nil {
		return
	}
	live := map[string]bool{}
	for _, s := range fed.Spec.Sources {
		live[s.Name] = s.Cluster != nil
	}
	revisions := map[string]map[string]bool{}
	for _, release := range releases {
		for _, s := range release.Spec.Sources {
			if revisions[s.Name] == nil {
				revisions[s.Name] = map[string]bool{}
			}
			revisions[s.Name][s.Revision] = true
		}
	}
	for _, k := range r.of(client.ObjectKeyFromObject(fed)) {
		if !live[k.source] {
			r.close(k)
		} else if known := r.known(k); known != nil {
			known.Keep(revisions[k.source])
		}
	}
}

// Close ends the watches of a Federation.
func (r *Readers) Close(federation types.NamespacedName) {
	if r == nil {
		return
	}
	for _, k := range r.of(federation) {
		r.close(k)
	}
}

// Run ends all watches when ctx ends.
func (r *Readers) Run(ctx context.Context) error {
	<-ctx.Done()
	r.mu.Lock()
	all := r.readers
	r.readers = map[key]*reader{}
	r.mu.Unlock()
	for _, known := range all {
		known.Close()
	}
	return nil
}

// of returns the sources of a Federation that have a reader.
func (r *Readers) of(federation types.NamespacedName) (all []key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.readers {
		if k.federation == federation {
			all = append(all, k)
		}
	}
	return all
}

func (r *Readers) known(k key) *reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readers[k]
}

// open returns the reader of a source. It replaces one with another selection or other credentials.
func (r *Readers) open(q Request, way connection) (*reader, error) {
	k := key{q.Federation, q.Source.Name}
	if known := r.known(k); known != nil && known.digest == way.digest {
		return known, nil
	}
	r.close(k)
	selection, err := cluster.NewSelection(q.Source.Cluster)
	if err != nil {
		return nil, err
	}
	selection = selection.Within(func(kind schema.GroupKind, namespaced bool) error {
		if refused := q.Rules.ReadsKind(q.Source, kind, namespaced); refused != nil {
			return &status.RefusalError{Err: refused}
		}
		return nil
	})
	member, err := way.member()
	if err != nil {
		return nil, err
	}
	opened := &reader{digest: way.digest, Reader: cluster.Open(cluster.Options{
		Name: way.name, Member: member, Selection: selection, Changed: func() { r.Changed(q.Federation) },
	})}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.readers[k] = opened // a Federation is reconciled by one worker at a time
	return opened, nil
}

func (r *Readers) close(k key) {
	r.mu.Lock()
	known := r.readers[k]
	delete(r.readers, k)
	r.mu.Unlock()
	if known != nil {
		known.Close()
	}
}
