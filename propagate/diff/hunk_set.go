package diff

import (
	"crypto/sha256"
	"strconv"
	"sync"

	"github.com/accord-dev/accord/propagate/diff/hunk"
)

// hunks holds the differences between two results. All pairs of results with the same differences share it.
type hunks struct {
	list []Hunk
	key  string // unique to the list
}

// digest returns the key of the list, "" for nil.
func (h *hunks) digest() string {
	if h == nil {
		return ""
	}
	return h.key
}

// hunkSet stores every distinct list of hunks once, because thousands of places often change alike.
type hunkSet struct {
	lock sync.Mutex
	all  map[[sha256.Size]byte]*hunks
}

func (in *hunkSet) intern(found []hunk.Hunk) *hunks {
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
