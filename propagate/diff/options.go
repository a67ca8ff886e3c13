package diff

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/rendercache"
)

// Side is one of the two plans with its input. A nil Plan is an empty side.
type Side struct {
	Input propagate.Input
	Plan  *propagate.Plan
}

// Options configure a comparison.
type Options struct {
	// Key makes the fingerprints that stand for values of Secrets. The caller creates a random key for each report,
	// because values can be guessed with it. Without a key all values of Secrets look alike, and so do their changes.
	Key []byte
	// Prune and PruneLimits are those of the Federation. AllowPrune reports that the commit lifts the limits
	// ("Accord-Prune: allow").
	Prune       bool
	PruneLimits v1alpha1.PruneLimits
	AllowPrune  bool
	// Observed holds the state of clusters on the hub, by name; nil without a hub.
	Observed map[string]Observation
	// Progress receives the number of compared objects, from one goroutine at a time. It may be nil.
	Progress func(done, total int)
	// Memo has digests of objects that earlier comparisons rendered; it may be nil. It never changes the report.
	Memo *rendercache.Memo
}

// Observation is the state of one cluster on the hub.
type Observation struct {
	// UnreachableFor is 0 if it is not known.
	Unreachable    bool
	UnreachableFor time.Duration
	// Revision is the one that the cluster runs, RevisionsBehind how many were published after it. Both are empty if
	// they are not known.
	Revision        string
	RevisionsBehind int
}
