package source

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/klauspost/compress/zlib"
)

// looseReader reads tree objects that a repository has as files of their own, as it has those of its latest commits. go-git copies an
// object into growing memory, and hashes it three times: of a directory with 60,000 files that costs more than all else that a push reads.
// A push reads the same directory as the one before: the reader keeps its memory for the next push.
type looseReader struct {
	repository billy.Filesystem
	file       bytes.Buffer
	packed     bytes.Reader  // of file: zlib reads from memory faster than from a file
	inflated   io.ReadCloser // nil before the first file
	spare      []byte        // for the next content
	header     [len("tree 2147483647\x00")]byte
}

func newLooseReader(repository billy.Filesystem) *looseReader {
	return &looseReader{repository: repository}
}

// tree returns the content of a tree object, verified against its hash, until the caller releases it. It returns false for an object that
// is not a file, is damaged, or exceeds the limit.
func (r *looseReader) tree(hash plumbing.Hash) ([]byte, bool) {
	hex := hash.String()
	file, err := r.repository.Open(r.repository.Join("objects", hex[:2], hex[2:]))
	if err != nil {
		return nil, false
	}
	defer file.Close()
	r.file.Reset()
	if n, err := r.file.ReadFrom(io.LimitReader(file, maxMeta+1)); err != nil || n > maxMeta {
		return nil, false
	}
	if err := r.inflate(); err != nil {
		return nil, false
	}
	size, err := r.treeSize()
	if err != nil || size > maxMeta {
		return nil, false
	}
	content := r.room(size + 1)
	h, read := startHashing(size), 0
	for err == nil && read <= size {
		n := 0
		n, err = r.inflated.Read(content[read:min(read+hashedAtOnce, size+1)])
		h.blocks <- content[read : read+n]
		read += n
	}
	return content[:min(read, size)], h.sum() == hash && err == io.EOF && read == size
}

// room returns memory for a content. A small directory leaves the memory of a large one to that one, which may be below it.
func (r *looseReader) room(size int) []byte {
	if size > cap(r.spare) || size < cap(r.spare)/4 {
		return make([]byte, size)
	}
	room := r.spare[:size]
	r.spare = nil
	return room
}

// release takes back a content that nobody refers to any more.
func (r *looseReader) release(content []byte) {
	if cap(content) > cap(r.spare) {
		r.spare = content
	}
}

// hashing hashes a tree object while it is decompressed, which takes twice as long.
type hashing struct {
	blocks chan []byte
	of     plumbing.Hasher
	done   sync.WaitGroup
}

// hashedAtOnce is the size of a block. The hash is at most a few blocks behind.
const hashedAtOnce = 32 << 10

// startHashing begins to hash the blocks of a tree object.
func startHashing(size int) *hashing {
	h := &hashing{blocks: make(chan []byte, 4), of: plumbing.NewHasher(plumbing.TreeObject, int64(size))}
	h.done.Go(func() {
		for block := range h.blocks {
			_, _ = h.of.Write(block) // never fails
		}
	})
	return h
}

// sum returns the hash of all blocks.
func (h *hashing) sum() plumbing.Hash {
	close(h.blocks)
	h.done.Wait()
	return h.of.Sum()
}

// inflate begins to decompress the file.
func (r *looseReader) inflate() (err error) {
	r.packed.Reset(r.file.Bytes())
	if again, is := r.inflated.(zlib.Resetter); is {
		return again.Reset(&r.packed, nil)
	}
	r.inflated, err = zlib.NewReader(&r.packed)
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
