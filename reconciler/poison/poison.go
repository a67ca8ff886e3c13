// Package poison keeps a durable mark of each revision that is being planned, and refuses a revision during whose planning the
// process died twice. Without the refusal, each restart would read the same revision and die again, with all Federations.
package poison

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// maxDeaths is the number of deaths after which a revision is refused.
const maxDeaths = 2

// Error is the refusal of a revision.
type Error struct{ Federation types.NamespacedName }

func (e *Error) Error() string {
	return fmt.Sprintf("poison revision: the process died %d times while it planned this revision; push another commit, or give accord more memory and run: accord reconcile -n %s %s --retry-poisoned",
		maxDeaths, e.Federation.Namespace, e.Federation.Name)
}

// Marks are the marks in one directory, a file for each Federation. They survive the process. A nil *Marks marks nothing.
type Marks struct {
	dir string
	// alone is locked while a revision is planned during whose planning the process died before: if it dies again, no other
	// revision is marked for that.
	alone sync.RWMutex
}

// mark is the content of a file.
type mark struct {
	Federation string `json:"federation"`
	Revision   string `json:"revision"`
	// Retry is the annotation of the Federation that lifts the refusal: another value begins to count again.
	Retry string `json:"retry,omitempty"`
	// Begun counts how often the planning began and did not end.
	Begun int `json:"begun"`
}

// Open returns the marks below a directory, which is created with the first mark.
func Open(cacheDir string) *Marks { return &Marks{dir: filepath.Join(cacheDir, "planning")} }

// Attempt is one attempt to plan a revision.
type Attempt struct {
	path   string
	unlock func()
	once   sync.Once
}

// Begin marks a revision of a Federation as being planned. It returns an *Error if the process died twice while it planned the
// revision. A mark that cannot be written, on a full disk, does not stop the planning.
func (m *Marks) Begin(federation types.NamespacedName, revision, retry string) (*Attempt, error) {
	if m == nil {
		return &Attempt{unlock: func() {}}, nil
	}
	now := mark{Federation: federation.String(), Revision: revision, Retry: retry}
	path := filepath.Join(m.dir, fmt.Sprintf("%x.json", sha256.Sum256([]byte(now.Federation))))
	var before mark
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &before) == nil && before.Revision == revision && before.Retry == retry {
		now.Begun = before.Begun
	}
	if now.Begun >= maxDeaths {
		return nil, &Error{federation}
	}
	a := &Attempt{path: path}
	if now.Begun > 0 {
		m.alone.Lock()
		a.unlock = m.alone.Unlock
	} else {
		m.alone.RLock()
		a.unlock = m.alone.RUnlock
	}
	now.Begun++
	_ = now.write(path)
	return a, nil
}

// write replaces the file of a mark.
func (m mark) write(path string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Planned records that the plan is made: other revisions need not wait any more.
func (a *Attempt) Planned() { a.once.Do(a.unlock) }

// End removes the mark: the process survived.
func (a *Attempt) End() {
	a.Planned()
	if a.path != "" {
		_ = os.Remove(a.path)
	}
}
