package source

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/klauspost/compress/zlib"
)

// looseReader reads tree objects that a repository has as files of their own, as it has those of its latest commits. go-git copies an
// object into growing memory, and hashes it three times: of a directory with 60,000 files that costs more than all else that a push reads.
type looseReader struct {
	repository billy.Filesystem
	file       *bufio.Reader
	inflated   io.ReadCloser // nil before the first file
	header     [len("tree 2147483647\x00")]byte
}

func newLooseReader(repository billy.Filesystem) *looseReader {
	return &looseReader{repository: repository, file: bufio.NewReaderSize(nil, 32<<10)}
}

// tree returns the content of a tree object, verified against its hash. It returns false for an object that is not a file, is damaged, or
// exceeds the limit.
func (r *looseReader) tree(hash plumbing.Hash) (string, bool) {
	hex := hash.String()
	file, err := r.repository.Open(r.repository.Join("objects", hex[:2], hex[2:]))
	if err != nil {
		return "", false
	}
	defer file.Close()
	r.file.Reset(file)
	if err := r.inflate(); err != nil {
		return "", false
	}
	size, err := r.treeSize()
	if err != nil || size > maxMeta {
		return "", false
	}
	var content strings.Builder
	content.Grow(size)
	h := startHashing(size)
	for err == nil && content.Len() <= size {
		n, block := 0, <-h.free
		n, err = r.inflated.Read(block[:min(cap(block), size+1-content.Len())])
		content.Write(block[:n])
		h.full <- block[:n]
	}
	return content.String(), h.sum() == hash && err == io.EOF && content.Len() == size
}

// hashing hashes a tree object while it is decompressed, which takes twice as long.
type hashing struct {
	free, full chan []byte
	of         plumbing.Hasher
	done       sync.WaitGroup
}

// startHashing begins to hash the blocks of a tree object that are sent to full. Blocks to fill come from free.
func startHashing(size int) *hashing {
	h := &hashing{free: make(chan []byte, 2), full: make(chan []byte, 2), of: plumbing.NewHasher(plumbing.TreeObject, int64(size))}
	for range cap(h.free) {
		h.free <- make([]byte, min(size+1, 32<<10))
	}
	h.done.Go(func() {
		for block := range h.full {
			_, _ = h.of.Write(block) // never fails
			h.free <- block[:cap(block)]
		}
	})
	return h
}

// sum returns the hash of all blocks.
func (h *hashing) sum() plumbing.Hash {
	close(h.full)
	h.done.Wait()
	return h.of.Sum()
}

// inflate begins to decompress the file.
func (r *looseReader) inflate() (err error) {
	if again, is := r.inflated.(zlib.Resetter); is {
		return again.Reset(r.file, nil)
	}
	r.inflated, err = zlib.NewReader(r.file)
	return err
}

// treeSize reads the header of a tree object, and returns the size of its content.
func (r *looseReader) treeSize() (int, error) {
	header := r.header[:]
	for i := range header {
		if _, err := io.ReadFull(r.inflated, header[i:i+1]); err != nil {
			return 0, err
		}
		if header[i] != 0 {
			continue
		}
		text, is := bytes.CutPrefix(header[:i], []byte("tree "))
		if !is {
			return 0, errOtherType
		}
		size, err := strconv.ParseUint(string(text), 10, 31)
		return int(size), err
	}
	return 0, fmt.Errorf("%w: malformed header", errDamaged)
}
