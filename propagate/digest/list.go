// Package digest has the digests of plans: SHA-256 over texts and over long lists of which a few entries change.
package digest

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
)

// Sum is a SHA-256 digest.
type Sum [sha256.Size]byte

// chunkSize is the number of entries under one sum. A change of one entry hashes its chunk, and one sum for each chunk.
const chunkSize = 64

// List is the digest of a list, with a sum for each chunk of it. Lists of the same length share the sums of equal chunks.
type List struct {
	sums []Sum // zero for a chunk that is not hashed yet
}

// Without returns a copy in which the chunks of the entries at these places are not hashed.
func (l List) Without(places []int) List {
	sums := slices.Clone(l.sums)
	for _, at := range places {
		sums[at/chunkSize] = Sum{}
	}
	return List{sums}
}

// Lacks reports whether the chunk of an entry is not hashed.
func (l List) Lacks(at int) bool {
	return at/chunkSize >= len(l.sums) || l.sums[at/chunkSize] == Sum{}
}

// Fill hashes the chunks that are not hashed of a list with n entries.
func (l *List) Fill(n int, write func(h hash.Hash, at int)) {
	if l.sums == nil {
		l.sums = make([]Sum, (n+chunkSize-1)/chunkSize)
	}
	h := sha256.New()
	for i := range l.sums {
		if l.sums[i] != (Sum{}) {
			continue
		}
		h.Reset()
		for at := i * chunkSize; at < min(n, (i+1)*chunkSize); at++ {
			write(h, at)
		}
		h.Sum(l.sums[i][:0])
	}
}

// Over returns the digest of the list with more content: "sha256:<hex>".
func (l List) Over(more []byte) string {
	b := make([]byte, 0, len(l.sums)*len(Sum{})+len(more)+binary.MaxVarintLen64)
	b = binary.AppendUvarint(b, uint64(len(l.sums)))
	for _, s := range l.sums {
		b = append(b, s[:]...)
	}
	return Of(append(b, more...))
}
