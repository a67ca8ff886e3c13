package diff

import (
	"crypto/sha256"
	"strconv"
	"sync"

	"github.com/accord-dev/accord/propagate/diff/hunk"
)

// hunks are the differences between two results, shared by all pairs that differ so.
type hunks struct {
	list []Hunk
	text string // tells one from another
}

// print is empty for none.
func (h *hunks) print() string {
	if h == nil {
		return ""
	}
	return h.text
}

// interned keeps every list of hunks once: the same change in thousands of places is one.
type interned struct {
	lock sync.Mutex
	all  map[[sha256.Size]byte]*hunks
}

func (in *interned) of(found []hunk.Hunk) *hunks {
	if len(found) == 0 {
		return nil
	}
	var b []byte
	for _, h := range found {
		for _, s := range []string{h.Path, string(h.Op), h.Before, h.After, h.Text} {
			b = strconv.AppendQuote(b, s)
		}
		b = strconv.AppendBool(b, h.Secret)
	}
	sum := sha256.Sum256(b)
	in.lock.Lock()
	defer in.lock.Unlock()
	if in.all == nil {
		in.all = map[[sha256.Size]byte]*hunks{}
	}
	if in.all[sum] == nil {
		list := make([]Hunk, len(found))
		for i, h := range found {
			list[i] = Hunk(h)
		}
		in.all[sum] = &hunks{list, string(sum[:])}
	}
	return in.all[sum]
}
