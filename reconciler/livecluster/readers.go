// Package livecluster keeps the readers of the live clusters that are sources of Federations.
package livecluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
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
	// Hub reads Clusters and Federations, Secrets reads Secrets without a cache.
	Hub, Secrets client.Reader
	// SecretsNamespace is the only namespace whose Secrets are credentials of Clusters.
	SecretsNamespace string
	// Networks are the private networks in which the servers of Secrets may be, beside those of the Tenant.
	Networks egress.Networks
	// InCluster returns the configuration of the ServiceAccount of the controllers.
	InCluster func() (*rest.Config, error)
	// CacheDir keeps the snapshots for a restart, below its directory "live".
	CacheDir string
	// Changed is called when a Federation has a new snapshot, or its cluster becomes unread or readable again.
	Changed func(federation types.NamespacedName)
	// Shared is set where several replicas share the clusters. The others cannot read the snapshots of this one.
	Shared bool
	Log    *slog.Logger
}

// Readers has one reader for each source of each Federation, so that no Federation sees what only the credentials of another one may
// read. The nil Readers read nothing.
type Readers struct {
	Options
	files files

	mu      sync.Mutex
	streams map[key]*stream
}

type key struct {
	federation types.NamespacedName
	source     string
}

// stream is one source: its snapshots, and its reader while the source is read.
type stream struct {
	uid     types.UID // of the Federation
	history *cluster.History
	reader  *cluster.Reader
	digest  string // of the reader
}

// New returns Readers without a reader.
func New(o Options) *Readers {
	return &Readers{Options: o, files: newFiles(o.CacheDir), streams: map[key]*stream{}}
}

var (
	errNoReaders = errors.New("a live cluster is read by the controllers only: accord up, or accord run")
	errShared    = errors.New("a live cluster cannot be the source where replicas share the clusters: run the controllers with --share-clusters=false")
)

// Request is the wish for a snapshot of a source.
type Request struct {
	Federation *v1alpha1.Federation
	Source     v1alpha1.Source
	// Rules are those of the Tenant that governs the Federation.
	Rules *tenancy.Rules
}

// Reading is a snapshot of a source.
type Reading struct {
	source.Snapshot
	// Unread is the reason why the cluster cannot be read now: the Snapshot is the last one, and the cluster may have other objects. Nil
	// if the Snapshot is the newest.
	Unread error
}

// Snapshot returns the newest snapshot of a source, or the last one if the cluster cannot be read. The first call begins to watch the
// cluster. The last snapshot does not replace the newest one if a Tenant refuses the source, or if the source or its account has
// changed since.
func (r *Readers) Snapshot(ctx context.Context, q Request) (Reading, error) {
	switch {
	case r == nil:
		return Reading{}, errNoReaders
	case r.Shared:
		return Reading{}, errShared
	}
	way, err := r.connection(ctx, q)
	if err != nil {
		r.close(client.ObjectKeyFromObject(q.Federation), q.Source.Name)
		return Reading{}, err
	}
	s, err := r.open(q, way)
	if err != nil {
		return Reading{}, err
	}
	ctx, end := context.WithTimeout(ctx, q.Source.FetchTimeout())
	defer end()
	newest, err := s.reader.Snapshot(ctx)
	if errors.Is(err, source.ErrUnreachable) || errors.Is(err, source.ErrAuth) {
		if last, _, found := s.history.Last(way.selected); found {
			return Reading{last, err}, nil
		}
	}
	return Reading{newest, nil}, err
}

// At returns an earlier snapshot of a source.
func (r *Readers) At(fed *v1alpha1.Federation, name, revision string) (source.Snapshot, error) {
	if r != nil {
		if s, kept := r.stream(fed, name).history.At(revision); kept {
			return s, nil
		}
	}
	return source.Snapshot{}, fmt.Errorf("accord does not keep the objects of the live cluster at %s any more", revision)
}

// Pin returns the snapshot that a standby runs, and keeps it.
func (r *Readers) Pin(fed *v1alpha1.Federation, name, revision string) (source.Snapshot, error) {
	s, err := r.At(fed, name, revision)
	if err == nil {
		r.stream(fed, name).history.Pin(revision)
	}
	return s, err
}

// Keep keeps the snapshots of a Federation that its Releases name, and drops the sources that it does not have any more.
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
	of := client.ObjectKeyFromObject(fed)
	for name, s := range r.of(of) {
		if !live[name] {
			r.drop(of, name)
		} else {
			s.history.Keep(revisions[name])
		}
	}
}

// Close ends the watches of a Federation. Its snapshots stay.
func (r *Readers) Close(federation types.NamespacedName) {
	if r == nil {
		return
	}
	for name := range r.of(federation) {
		r.close(federation, name)
	}
}

// Forget ends the watches of a Federation that was deleted, and removes its snapshots.
func (r *Readers) Forget(federation types.NamespacedName) {
	if r == nil {
		return
	}
	for name := range r.of(federation) {
		r.drop(federation, name)
	}
}

// Run removes the snapshots of Federations that were deleted while accord did not run, and ends all watches when ctx ends.
func (r *Readers) Run(ctx context.Context) error {
	if err := r.files.sweep(ctx, r.Hub); err != nil {
		r.Log.Warn("cannot remove the snapshots of deleted Federations", "error", err)
	}
	<-ctx.Done()
	r.mu.Lock()
	all := r.streams
	r.streams = map[key]*stream{}
	r.mu.Unlock()
	for _, s := range all {
		if s.reader != nil {
			s.reader.Close()
		}
	}
	return nil
}

// Figures are the metrics of a source.
type Figures struct {
	Federation types.NamespacedName
	Source     string
	cluster.Figures
}

// Figures returns the metrics of the sources that are read, sorted.
func (r *Readers) Figures(now time.Time) []Figures {
	r.mu.Lock()
	readers := map[key]*cluster.Reader{}
	for k, s := range r.streams {
		if s.reader != nil {
			readers[k] = s.reader
		}
	}
	r.mu.Unlock()
	var all []Figures
	for k, open := range readers {
		all = append(all, Figures{k.federation, k.source, open.Figures(now)})
	}
	slices.SortFunc(all, func(a, b Figures) int {
		return cmp.Or(cmp.Compare(a.Federation.String(), b.Federation.String()), cmp.Compare(a.Source, b.Source))
	})
	return all
}

// of returns the streams of a Federation by the names of their sources.
func (r *Readers) of(federation types.NamespacedName) map[string]*stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string]*stream{}
	for k, s := range r.streams {
		if k.federation == federation {
			all[k.source] = s
		}
	}
	return all
}

// stream returns the stream of a source. The first time, it reads the snapshots of the process before.
func (r *Readers) stream(fed *v1alpha1.Federation, name string) *stream {
	k := key{client.ObjectKeyFromObject(fed), name}
	r.mu.Lock()
	known := r.streams[k]
	r.mu.Unlock()
	if known != nil && known.uid == fed.UID {
		return known
	}
	if known != nil { // it was deleted, and created again
		r.drop(k.federation, name)
	}
	history, err := cluster.OpenHistory(r.files.path(k), string(fed.UID))
	if err != nil {
		r.Log.Warn("cannot read all snapshots of a live cluster", "federation", k.federation, "source", name, "error", err)
	}
	s := &stream{uid: fed.UID, history: history}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streams[k] = s // a Federation is reconciled by one worker at a time
	return s
}

// open returns the stream of a source with its reader. It replaces a reader with another selection or other credentials.
func (r *Readers) open(q Request, way connection) (*stream, error) {
	s, of := r.stream(q.Federation, q.Source.Name), client.ObjectKeyFromObject(q.Federation)
	if s.reader != nil && s.digest == way.digest {
		return s, nil
	}
	r.close(of, q.Source.Name)
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
	opened, err := cluster.Open(cluster.Options{
		Name: way.name, Config: way.config, User: way.user, Selection: selection, Selected: way.selected, History: s.history,
		Changed: func() { r.Changed(of) },
		Unsaved: func(err error) {
			r.Log.Error("a restart cannot use the newest snapshot of a live cluster", "federation", of, "source", q.Source.Name, "error", err)
		},
	})
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.reader, s.digest = opened, way.digest
	return s, nil
}

// close ends the watches of a source.
func (r *Readers) close(federation types.NamespacedName, name string) {
	r.mu.Lock()
	var open *cluster.Reader
	if s := r.streams[key{federation, name}]; s != nil {
		open, s.reader = s.reader, nil
	}
	r.mu.Unlock()
	if open != nil {
		open.Close()
	}
}

// drop ends the watches of a source, and removes its snapshots.
func (r *Readers) drop(federation types.NamespacedName, name string) {
	r.close(federation, name)
	k := key{federation, name}
	if err := r.files.remove(k); err != nil {
		r.Log.Warn("cannot remove the snapshots of a live cluster", "federation", federation, "source", name, "error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.streams, k)
}
