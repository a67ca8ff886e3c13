package review

import (
	"errors"
	"fmt"
	"io"

	"github.com/accord-dev/accord/cmd/accord/plancache"
)

// openStore opens the store of results of earlier runs; nil for none, because a plan needs none. It writes a warning if another user
// could have written the results.
func (f *Options) openStore(stderr io.Writer) *plancache.Store {
	store, err := f.Tree.PlanCache()
	if refused, is := errors.AsType[*plancache.UnsafeError](err); is {
		fmt.Fprintln(stderr, "warning:", refused)
	}
	if err != nil {
		return nil
	}
	return store
}
