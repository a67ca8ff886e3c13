package source

import (
	"cmp"
	"io/fs"
	"iter"
	"math"
	"sort"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// dir and file are Git's trees and blobs in memory. Commits share equal ones, so they are immutable once loaded.
type dir struct {
	hash      plumbing.Hash
	parts     []*part // in the order of compareEntries
	sum       sum
	submodule bool // the hash is that of a commit, and there are no entries
}

// part is a run of entries of a directory. The next commit shares the parts that are equal, so a change of one file of a large directory
// costs one part.
type part struct {
	raw     string  // the entries as the tree object has them; empty if that object is not in the order of compareEntries
	entries []entry // at least one; their names are parts of raw
	sum     sum
}

type file struct {
	hash    plumbing.Hash
	size    int64
	content []byte
	held    bool   // false: the file exceeds the limit and was not read
	later   *later // reads the content; nil if it is here
}

// entry is one name in a directory. A symbolic link is a file whose content is its target.
type entry struct {
	name string
	mode fs.FileMode
	dir  *dir
	file *file
}

// compareEntries orders names as a tree object does, by bytes, where a directory has a slash at the end of its name. A submodule is a
// directory here.
func compareEntries(a string, aDir bool, b string, bDir bool) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	return cmp.Compare(byteAfter(a, n, aDir), byteAfter(b, n, bDir))
}

// byteAfter returns the byte at i, which is at most the length of the name.
func byteAfter(name string, i int, isDir bool) byte {
	switch {
	case i < len(name):
		return name[i]
	case isDir:
		return '/'
	}
	return 0
}

func (e entry) compare(other entry) int {
	return compareEntries(e.name, e.dir != nil, other.name, other.dir != nil)
}

// all returns the entries in the order of compareEntries.
func (d *dir) all() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for _, p := range d.parts {
			for _, e := range p.entries {
				if !yield(e) {
					return
				}
			}
		}
	}
}

func (d *dir) find(name string) (entry, bool) {
	if e, ok := d.findKind(name, false); ok {
		return e, true
	}
	return d.findKind(name, true)
}

// findKind returns the directory of a name, or else the file.
func (d *dir) findKind(name string, isDir bool) (entry, bool) {
	after := func(e entry) bool { return compareEntries(e.name, e.dir != nil, name, isDir) > 0 }
	at := sort.Search(len(d.parts), func(i int) bool { return after(d.parts[i].entries[0]) })
	if at == 0 {
		return entry{}, false
	}
	entries := d.parts[at-1].entries
	e := entries[sort.Search(len(entries), func(i int) bool { return after(entries[i]) })-1]
	return e, e.name == name && (e.dir != nil) == isDir
}

// sum adds up entries with everything below them.
type sum struct {
	size        int64  // bytes of all files; math.MaxInt64 if more
	largestName string // path of the largest counted file
	largestSize int64
	links       bool // there are symbolic links
}

func (s *sum) add(other sum) {
	s.size += min(other.size, math.MaxInt64-s.size)
	s.links = s.links || other.links
	if other.largestSize > s.largestSize {
		s.largestName, s.largestSize = other.largestName, other.largestSize
	}
}

// sum returns the sum of an entry. Files above the limit count without their content.
func (e entry) sum(fileLimit int64) sum {
	s := sum{size: int64(len(e.name)) + entryItself, links: e.mode&fs.ModeSymlink != 0}
	switch {
	case e.dir != nil:
		s.add(e.dir.sum)
		s.largestName = e.name + "/" + s.largestName
	case e.file.size <= fileLimit:
		s.add(sum{size: e.file.size, largestName: e.name, largestSize: e.file.size})
	}
	return s
}
