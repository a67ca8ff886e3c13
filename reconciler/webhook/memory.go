package webhook

import (
	"errors"
	"io"

	"golang.org/x/sync/semaphore"
)

var errNoMemory = errors.New("the bodies that are being read use all memory")

// boundedReader counts the bytes that it reads against memory that several readers share. A sender that sends nothing
// uses none, so that slow senders cannot exhaust it.
type boundedReader struct {
	from   io.Reader
	memory *semaphore.Weighted
	used   int64
}

// Read implements io.Reader. It returns errNoMemory when the memory is used up.
func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if !b.memory.TryAcquire(int64(n)) {
		return n, errNoMemory
	}
	b.used += int64(n)
	return n, err
}

// release returns the used memory.
func (b *boundedReader) release() { b.memory.Release(b.used) }
