package cluster

import (
	"crypto/sha256"
	"iter"
	"slices"
	"strings"
)

// depth is the number of nodes between the root and a bucket: with three, 100,000 files have 25 in each bucket.
const depth = 3

// file is one object. It is immutable.
type file struct {
	path    string
	content []byte
	hash    [sha256.Size]byte // of the content
}

func newFile(path string, content []byte) *file { return &file{path, content, sha256.Sum256(content)} }

// node is an immutable set of files, which the digits of the hashes of their paths distribute. Its hash depends on the files only, and
// not on the order in which they were added. The nil node is empty.
type node struct {
	hash     [sha256.Size]byte
	children [16]*node // nil in a bucket
	files    []*file   // of a bucket, by path
	size     int64     // bytes of the contents
	count    int
}

// digit returns the child that a path belongs to.
func digit(path [sha256.Size]byte, level int) int {
	if level%2 == 0 {
		return int(path[level/2] >> 4)
	}
	return int(path[level/2] & 15)
}

// get returns the file with a path; nil if there is none.
func (n *node) get(path string) *file {
	key := sha256.Sum256([]byte(path))
	for level := 0; level < depth && n != nil; level++ {
		n = n.children[digit(key, level)]
	}
	if n == nil {
		return nil
	}
	if i, found := n.find(path); found {
		return n.files[i]
	}
	return nil
}

func (n *node) find(path string) (int, bool) {
	return slices.BinarySearchFunc(n.files, path, func(f *file, path string) int { return strings.Compare(f.path, path) })
}

// with returns the set with a file, in place of the one with its path.
func (n *node) with(f *file) *node { return n.change(f.path, f, sha256.Sum256([]byte(f.path)), 0) }

// without returns the set without the file with a path.
func (n *node) without(path string) *node { return n.change(path, nil, sha256.Sum256([]byte(path)), 0) }

func (n *node) change(path string, f *file, key [sha256.Size]byte, level int) *node {
	next := &node{}
	if n != nil {
		*next = *n
	}
	if level < depth {
		at := digit(key, level)
		next.children[at] = next.children[at].change(path, f, key, level+1)
	} else {
		i, found := next.find(path)
		switch {
		case found && f == nil:
			next.files = slices.Delete(slices.Clone(next.files), i, i+1)
		case found:
			next.files = slices.Clone(next.files)
			next.files[i] = f
		case f != nil:
			next.files = slices.Insert(slices.Clone(next.files), i, f)
		}
	}
	return next.sum()
}

// sum computes the hash and the sums of a new node; nil for an empty one.
func (n *node) sum() *node {
	n.size, n.count = 0, 0
	h := sha256.New()
	for i, c := range n.children {
		if c != nil {
			h.Write([]byte{byte(i)})
			h.Write(c.hash[:])
			n.size, n.count = n.size+c.size, n.count+c.count
		}
	}
	for _, f := range n.files {
		h.Write([]byte(f.path))
		h.Write([]byte{0})
		h.Write(f.hash[:])
		n.size, n.count = n.size+int64(len(f.content)), n.count+1
	}
	if n.count == 0 {
		return nil
	}
	h.Sum(n.hash[:0])
	return n
}

// digest returns the hash of the set.
func (n *node) digest() [sha256.Size]byte {
	if n == nil {
		return sha256.Sum256(nil)
	}
	return n.hash
}

// all returns the files in no order.
func (n *node) all() iter.Seq[*file] {
	return func(yield func(*file) bool) { n.each(yield) }
}

func (n *node) each(yield func(*file) bool) bool {
	if n == nil {
		return true
	}
	for _, c := range n.children {
		if !c.each(yield) {
			return false
		}
	}
	for _, f := range n.files {
		if !yield(f) {
			return false
		}
	}
	return true
}

// changed returns the paths of the files that two sets do not have in common. It does not look into equal nodes.
func changed(a, b *node, level int, add func(path string)) {
	switch {
	case a == b || a != nil && b != nil && a.hash == b.hash:
	case a == nil || b == nil:
		for _, n := range []*node{a, b} {
			for f := range n.all() {
				add(f.path)
			}
		}
	case level < depth:
		for i := range a.children {
			changed(a.children[i], b.children[i], level+1, add)
		}
	default:
		for _, f := range a.files {
			if i, found := b.find(f.path); !found || b.files[i].hash != f.hash {
				add(f.path)
			}
		}
		for _, f := range b.files {
			if _, found := a.find(f.path); !found {
				add(f.path)
			}
		}
	}
}
