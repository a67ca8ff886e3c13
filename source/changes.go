package source

import (
	"io/fs"
	"path"
)

// Changes returns the paths of all files and directories that one of two snapshots lacks, and of the files with another content or
// mode. It does not look into directories that are equal. It returns false if the other file system is not of this package, or if
// symbolic links could change more than these paths.
func (t tree) Changes(since fs.FS) (paths []string, known bool) {
	before, is := since.(tree)
	if !is || before.limit != t.limit || before.root.sum.links || t.root.sum.links {
		return nil, false
	}
	c := changes{}
	c.compare(before.root, t.root, "")
	return c.paths, true
}

type changes struct{ paths []string }

// compare adds the differences of two directories.
func (c *changes) compare(before, now *dir, at string) {
	if before.hash == now.hash {
		return
	}
	a, b := cursor{parts: before.parts}, cursor{parts: now.parts}
	for !a.done() || !b.done() {
		order := -1
		switch {
		case a.done():
			order = 1
		case !b.done() && a.part() == b.part() && a.at == b.at: // also the entries before are equal, or were added
			a.nextPart()
			b.nextPart()
			continue
		case !b.done():
			order = a.entry().compare(b.entry())
		}
		switch {
		case order < 0:
			c.add(a.entry(), at)
			a.next()
		case order > 0:
			c.add(b.entry(), at)
			b.next()
		default:
			c.both(a.entry(), b.entry(), at)
			a.next()
			b.next()
		}
	}
}

// cursor is a position among the entries of a directory.
type cursor struct {
	parts []*part // the first one has the entry
	at    int
}

func (c *cursor) done() bool   { return len(c.parts) == 0 }
func (c *cursor) part() *part  { return c.parts[0] }
func (c *cursor) entry() entry { return c.parts[0].entries[c.at] }
func (c *cursor) nextPart()    { c.parts, c.at = c.parts[1:], 0 }

func (c *cursor) next() {
	if c.at++; c.at == len(c.parts[0].entries) {
		c.nextPart()
	}
}

// both adds the differences of two entries of the same kind with the same name.
func (c *changes) both(before, now entry, at string) {
	switch {
	case now.dir != nil:
		c.compare(before.dir, now.dir, path.Join(at, now.name))
	case before.file.hash != now.file.hash || before.mode != now.mode:
		c.add(now, at)
	}
}

// add adds an entry with everything below it.
func (c *changes) add(e entry, at string) {
	name := path.Join(at, e.name)
	c.paths = append(c.paths, name)
	if e.dir != nil {
		for below := range e.dir.all() {
			c.add(below, name)
		}
	}
}
