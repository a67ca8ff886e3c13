package review

import (
	"errors"
	"fmt"
	"io"

	"github.com/accord-dev/accord/cmd/accord/plancache"
	"github.com/accord-dev/accord/propagate/rendercache"
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

// memoName names the entry with the digests of rendered objects of a Federation.
func memoName(federation string) string { return fmt.Sprintf("rendered %q", federation) }

// readMemo returns the digests of objects that earlier runs rendered; nil without a store.
func readMemo(store *plancache.Store, federation string) *rendercache.Memo {
	if store == nil {
		return nil
	}
	if data := store.Read(memoName(federation)); data != nil {
		if memo, err := rendercache.Decode(data); err == nil {
			return memo
		}
	}
	return rendercache.New()
}

// worthStoring is the number of new digests with which all are written again.
const worthStoring = 256

// saveMemo stores the digests if many are new. An error is not about the plan.
func saveMemo(store *plancache.Store, federation string, memo *rendercache.Memo) error {
	if memo == nil || memo.Added() < worthStoring {
		return nil
	}
	data, err := memo.Encode()
	if err != nil {
		return err
	}
	return store.Write(memoName(federation), data)
}
