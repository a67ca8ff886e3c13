package source

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// partSize is the number of entries up to which a part is made.
const partSize = 64

// dir reads a directory; known are those of other commits with the same path, the newest first.
func (l *loader) dir(hash plumbing.Hash, known []*dir, depth int) (*dir, error) {
	if d := l.dirs[hash]; d != nil {
		return d, nil
	}
	if at := slices.IndexFunc(known, func(d *dir) bool { return d.hash == hash && !d.submodule }); at >= 0 {
		l.dirs[hash] = known[at]
		return known[at], nil
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: directories are nested more than %d deep", ErrTooLarge, maxDepth)
	}
	raw, release, err := l.tree(hash)
	if err != nil {
		return nil, err
	}
	defer release()
	r := dirReader{loader: l, known: known, depth: depth, dir: &dir{hash: hash}}
	if err := r.read(raw); err != nil {
		return nil, err
	}
	l.dirs[hash] = r.dir
	return r.dir, nil
}

// dirReader reads the entries of one directory.
type dirReader struct {
	*loader
	known []*dir
	depth int
	dir   *dir
	made  []*part // parts of dir that known[0] does not have
}

func (r *dirReader) read(raw []byte) error {
	if err := r.readParts(raw); err != nil {
		return err
	}
	if !r.ordered() {
		r.sort()
	}
	if name, twice := r.twice(); twice {
		return fmt.Errorf("%w: directory %s holds %q twice", errDamaged, r.dir.hash, name)
	}
	for _, p := range r.dir.parts {
		r.dir.sum.add(p.sum)
	}
	return nil
}

// readParts compares the tree object with the parts of the newest known directory, and reads the entries between equal ones.
func (r *dirReader) readParts(raw []byte) error {
	var known []*part
	if len(r.known) > 0 {
		known = r.known[0].parts
	}
	from, at := 0, 0
	var ends []int // of the entries from from to at
	for at < len(raw) {
		if len(known) > 0 && known[0].raw != "" && hasPrefix(raw[at:], known[0].raw) {
			if err := r.makeParts(raw, from, ends); err != nil {
				return err
			}
			r.dir.parts = append(r.dir.parts, known[0])
			at += len(known[0].raw)
			from, ends, known = at, ends[:0], known[1:]
			continue
		}
		item, err := parseItem(raw[at:])
		if err != nil {
			return err
		}
		at += item.length
		ends = append(ends, at)
		for len(known) > 0 { // parts that begin at this entry or before have changed
			if first := known[0].entries[0]; compareEntries(first.name, first.dir != nil, string(item.name), item.isDir()) > 0 {
				break
			}
			known = known[1:]
		}
	}
	return r.makeParts(raw, from, ends)
}

// hasPrefix reports whether b begins with prefix.
func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

// makeParts reads the entries that begin at from and end at ends, as parts of similar sizes.
func (r *dirReader) makeParts(raw []byte, from int, ends []int) error {
	for n := (len(ends) + partSize - 1) / partSize; n > 0; n-- {
		size := (len(ends) + n - 1) / n
		p := &part{raw: string(raw[from:ends[size-1]]), entries: make([]entry, 0, size)}
		for at := 0; at < len(p.raw); {
			item, err := parseItem(raw[from+at:])
			if err != nil {
				return err
			}
			name := p.raw[at+item.nameAt:][:len(item.name)]
			e, err := r.entry(name, item)
			if err != nil {
				return fmt.Errorf("%.40q: %w", name, err)
			}
			p.entries = append(p.entries, e)
			p.sum.add(e.sum(r.limits.file))
			at += item.length
		}
		r.dir.parts, r.made = append(r.dir.parts, p), append(r.made, p)
		from, ends = ends[size-1], ends[size:]
	}
	return nil
}

// ordered reports whether all entries are in the order of compareEntries. The parts of known directories are.
func (r *dirReader) ordered() bool {
	made := r.made
	for i, p := range r.dir.parts {
		if i > 0 {
			before := r.dir.parts[i-1].entries
			if before[len(before)-1].compare(p.entries[0]) >= 0 {
				return false
			}
		}
		if len(made) > 0 && made[0] == p {
			made = made[1:]
			for j := range p.entries[1:] {
				if p.entries[j].compare(p.entries[j+1]) >= 0 {
					return false
				}
			}
		}
	}
	return true
}

// sort sorts the entries of a tree object that Git did not write. The directory shares no part with others.
func (r *dirReader) sort() {
	entries := slices.SortedStableFunc(r.dir.all(), entry.compare)
	r.dir.parts = nil
	for some := range slices.Chunk(entries, partSize) {
		p := &part{entries: some}
		for _, e := range some {
			p.sum.add(e.sum(r.limits.file))
		}
		r.dir.parts = append(r.dir.parts, p)
	}
	r.made = r.dir.parts
}

// twice returns a name that two entries have.
func (r *dirReader) twice() (name string, twice bool) {
	shares := len(r.made) < len(r.dir.parts)
	var last *entry
	for _, p := range r.made {
		for i, e := range p.entries {
			if last != nil && last.compare(e) == 0 {
				return e.name, true
			}
			last = &p.entries[i]
			if e.dir == nil && !shares { // the directory with the same name is found below
				continue
			}
			if _, twice := r.dir.findKind(e.name, e.dir == nil); twice {
				return e.name, true
			}
		}
	}
	return "", false
}

// item is one entry of a tree object.
type item struct {
	name   []byte // part of the object
	mode   uint64 // as Git writes it
	hash   plumbing.Hash
	nameAt int // where the name begins
	length int // bytes in the object
}

// The type bits of a mode, and the types. Every other type is a submodule.
const (
	typeBits    = 0o170000
	typeDir     = 0o040000
	typeFile    = 0o100000
	typeSymlink = 0o120000
)

// isDir reports whether the entry is a directory or a submodule.
func (i item) isDir() bool { return i.mode&typeBits != typeFile && i.mode&typeBits != typeSymlink }

// parseItem parses the first entry of a tree object.
func parseItem(raw []byte) (item, error) {
	mode, rest, hasMode := bytes.Cut(raw, []byte{' '})
	name, rest, hasName := bytes.Cut(rest, []byte{0})
	i := item{name: name, nameAt: len(mode) + 1}
	if !hasMode || !hasName || len(rest) < len(i.hash) {
		return i, fmt.Errorf("%w: malformed tree object", errDamaged)
	}
	var err error
	if i.mode, err = strconv.ParseUint(string(mode), 8, 32); err != nil {
		return i, fmt.Errorf("%w: malformed mode in a tree object", errDamaged)
	}
	copy(i.hash[:], rest)
	i.length = i.nameAt + len(name) + 1 + len(i.hash)
	return i, nil
}

func (r *dirReader) entry(name string, item item) (entry, error) {
	e := entry{name: name}
	if name == "" || name == "." || name == ".." || strings.ContainsRune(name, '/') {
		return e, fmt.Errorf("%w: malformed file name", errDamaged)
	}
	if len(name) > maxName {
		return e, fmt.Errorf("%w: a name has %d bytes, the limit is %d", ErrTooLarge, len(name), maxName)
	}
	var err error
	switch item.mode & typeBits {
	case typeDir:
		e.mode = fs.ModeDir | 0o755
		e.dir, err = r.loader.dir(item.hash, r.knownDirs(name), r.depth+1)
		return e, err
	case typeSymlink:
		e.mode = fs.ModeSymlink | 0o777
		if e.file, err = r.knownFile(name, item.hash, maxTarget); err == nil {
			e.file, err = r.link(e.file)
		}
		return e, err
	case typeFile:
		e.mode = 0o644
		if item.mode&0o111 != 0 {
			e.mode = 0o755
		}
		e.file, err = r.knownFile(name, item.hash, r.limits.file)
		return e, err
	}
	e.mode, e.dir = fs.ModeDir|0o755, &dir{hash: item.hash, submodule: true}
	return e, nil
}

// knownDirs returns the directories of a name in other commits, the newest first.
func (r *dirReader) knownDirs(name string) (dirs []*dir) {
	for _, d := range r.known {
		if other, has := d.findKind(name, true); has && !slices.Contains(dirs, other.dir) {
			dirs = append(dirs, other.dir)
		}
	}
	return dirs
}

// knownFile returns the file of another commit if one has it under the same path.
func (r *dirReader) knownFile(name string, hash plumbing.Hash, limit int64) (*file, error) {
	for _, d := range r.known {
		if r.files[hash] != nil {
			break
		}
		if other, has := d.findKind(name, false); has && other.file.hash == hash {
			r.files[hash] = other.file
		}
	}
	return r.file(hash, limit)
}
