package livecluster

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/accord-dev/accord/source"
	"github.com/accord-dev/accord/source/cluster"
)

// spoolInterval is the shortest time between two writes of one source while its cluster changes.
const spoolInterval = 10 * time.Second

// spools keeps one snapshot of each source on disk: after a restart a standby can run it, although its live cluster does not answer.
type spools struct {
	dir string // empty: nothing is kept

	mu      sync.Mutex
	written map[key]spooled
}

// spooled is the snapshot of a source on disk.
type spooled struct {
	revision string
	at       time.Time
	busy     bool
}

// path returns the file of a source. Names of Federations and namespaces have no "_".
func (s *spools) path(k key) string {
	name := fmt.Sprintf("%x", sha256.Sum256([]byte(k.federation.String()+"_"+k.source)))
	return filepath.Join(s.dir, name[:32]+".gz")
}

// keep writes a snapshot in the background, unless it is there already. While a cluster changes, it writes once in spoolInterval; final
// writes at once.
func (s *spools) keep(k key, snapshot source.Snapshot, final bool) {
	if s.dir == "" || snapshot.FS == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.written[k]
	if last.busy || last.revision == snapshot.Revision || !final && time.Since(last.at) < spoolInterval {
		return
	}
	last.busy = true
	s.written[k] = last
	go func() { // ends with the write
		err := s.write(s.path(k), k.source, snapshot)
		s.mu.Lock()
		defer s.mu.Unlock()
		if last = (spooled{revision: snapshot.Revision, at: time.Now()}); err != nil {
			last.revision = ""
		}
		s.written[k] = last
	}()
}

// write replaces a file as a whole.
func (s *spools) write(path, name string, snapshot source.Snapshot) (err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.dir, "*.new") // only its owner can read it
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(cluster.Spool(f, name, snapshot), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// at returns the snapshot on disk, if it has the revision.
func (s *spools) at(k key, revision string) (source.Snapshot, bool) {
	if s.dir == "" {
		return source.Snapshot{}, false
	}
	f, err := os.Open(s.path(k))
	if err != nil {
		return source.Snapshot{}, false
	}
	defer f.Close()
	snapshot, err := cluster.Unspool(f)
	return snapshot, err == nil && snapshot.Revision == revision
}
