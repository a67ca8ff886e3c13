// Package digest has the digests of plans: SHA-256 over texts and over long lists of which a few entries change.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"github.com/accord-dev/accord/propagate/splice"
)

// Sum is a SHA-256 digest.
type Sum [sha256.Size]byte

// ends reports whether a chunk ends behind an entry. The content of entries decides, one in 64, so that the other chunks stay as they are
// when an entry is inserted or removed.
func (s Sum) ends() bool { return s[0]%64 == 0 }

// List is the digest of a list, with a sum for each chunk of it. A change of some entries hashes their chunks, the chunks behind them, and one
// sum for each chunk.
type List struct{ chunks []chunk }

// chunk is a part of a list.
type chunk struct {
	entries int
	sum     Sum
	hashed  bool // false for one or more chunks that are not known yet
}

// Edited returns the digest of a list that differs from this one at some places.
func (l List) Edited(edits []splice.Edit) List {
	next := List{make([]chunk, 0, len(l.chunks))}
	end, changed := 0, false // of the chunk before
	for i, c := range l.chunks {
		end += c.entries
		before := len(edits)
		for len(edits) > 0 && (edits[0].At < end || i == len(l.chunks)-1) {
			c.entries, edits = c.entries+edits[0].By, edits[1:]
		}
		if c.hashed = c.hashed && len(edits) == before; changed { // its beginning may have moved
			next.chunks[len(next.chunks)-1].entries += c.entries
		} else {
			next.chunks = append(next.chunks, c)
		}
		changed = len(edits) < before
	}
	return next
}

// of returns the chunks of a list with n entries.
func (l List) of(n int) []chunk {
	if len(l.chunks) == 0 { // of an empty list, or not filled
		return []chunk{{entries: n}}
	}
	return l.chunks
}

// Missing returns the entries that Fill hashes of a list with n entries.
func (l List) Missing(n int) []int {
	var missing []int
	at := 0
	for _, c := range l.of(n) {
		for i := range c.entries {
			if !c.hashed {
				missing = append(missing, at+i)
			}
		}
		at += c.entries
	}
	return missing
}

// Fill hashes what is not hashed of a list with n entries. write hashes an entry, and returns a sum of it.
func (l *List) Fill(n int, write func(h hash.Hash, at int) Sum) {
	filled := make([]chunk, 0, len(l.chunks)+1)
	h := sha256.New()
	at := 0
	for _, c := range l.of(n) {
		if c.hashed {
			filled, at = append(filled, c), at+c.entries
			continue
		}
		now := chunk{hashed: true}
		for end := at + c.entries; at < end; at++ {
			now.entries++
			if write(h, at).ends() || at == end-1 {
				h.Sum(now.sum[:0])
				h.Reset()
				filled, now = append(filled, now), chunk{hashed: true}
			}
		}
	}
	l.chunks = filled
}

// FillSums is Fill for a list of sums.
func (l *List) FillSums(n int, sum func(at int) Sum) {
	l.Fill(n, func(h hash.Hash, at int) Sum {
		s := sum(at)
		h.Write(s[:])
		return s
	})
}

// Over returns the digest of the list with more content: "sha256:<hex>".
func (l List) Over(more []byte) string {
	b := make([]byte, 0, len(l.chunks)*len(Sum{})+len(more)+binary.MaxVarintLen64)
	b = binary.AppendUvarint(b, uint64(len(l.chunks)))
	for _, c := range l.chunks {
		b = append(b, c.sum[:]...)
	}
	return Of(append(b, more...))
}
