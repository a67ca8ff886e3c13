package propagate

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
)

// chunkSize is the number of entries under one sum. A change of one entry hashes its chunk, and one sum for each chunk.
const chunkSize = 64

// chunked is the digest of a list, with a sum for each chunk of it. Lists of the same length share the sums of equal chunks.
type chunked struct {
	sums []Sum // zero for a chunk that is not hashed yet
}

// without returns a copy in which the chunks of the entries at these places are not hashed.
func (c chunked) without(places []int) chunked {
	sums := slices.Clone(c.sums)
	for _, at := range places {
		sums[at/chunkSize] = Sum{}
	}
	return chunked{sums}
}

// lacks reports whether the chunk of an entry is not hashed.
func (c chunked) lacks(at int) bool {
	return at/chunkSize >= len(c.sums) || c.sums[at/chunkSize] == Sum{}
}

// fill hashes the chunks that are not hashed of a list with n entries.
func (c *chunked) fill(n int, write func(h hash.Hash, at int)) {
	if c.sums == nil {
		c.sums = make([]Sum, (n+chunkSize-1)/chunkSize)
	}
	h := sha256.New()
	for i := range c.sums {
		if c.sums[i] != (Sum{}) {
			continue
		}
		h.Reset()
		for at := i * chunkSize; at < min(n, (i+1)*chunkSize); at++ {
			write(h, at)
		}
		h.Sum(c.sums[i][:0])
	}
}

// over returns the digest of the list with more content: "sha256:<hex>".
func (c chunked) over(more []byte) string {
	b := make([]byte, 0, len(c.sums)*len(Sum{})+len(more)+binary.MaxVarintLen64)
	b = binary.AppendUvarint(b, uint64(len(c.sums)))
	for _, s := range c.sums {
		b = append(b, s[:]...)
	}
	return sum(append(b, more...))
}
