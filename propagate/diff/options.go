package diff

import (
	"time"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
)

// Side is one of the two plans, with the input it was made of. A nil Plan is the side on which nothing is.
type Side struct {
	Input propagate.Input
	Plan  *propagate.Plan
}

// Options are what a comparison depends on beside the two plans.
type Options struct {
	// Key makes the fingerprints that stand for values of Secrets. The caller makes it at random, for this report alone: with
	// it, values could be guessed. Without one all values of Secrets look alike, and so do changes of them.
	Key []byte
	// Prune and Brake are those of the Federation. AllowPrune says that the commit lifts the brake ("Accord-Prune: allow").
	Prune      bool
	Brake      v1alpha1.PruneBrake
	AllowPrune bool
	// Seen is what a hub knows, by cluster; nil without one.
	Seen map[string]Seen
	// Progress is told how many objects are compared, now and then and from one goroutine at a time; it may be nil.
	Progress func(done, total int)
}

// Seen is what a hub knows of one cluster.
type Seen struct {
	// Unreachable says that the cluster does not answer, Silent for how long; zero when that is not known.
	Unreachable bool
	Silent      time.Duration
	// Revision is what it has, Behind how many revisions came after that; both are empty when that is not known.
	Revision string
	Behind   int
}
