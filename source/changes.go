package source

import (
	"io/fs"
	"path"
	"strings"
)

// Changes returns the paths of all files and directories that one of two snapshots lacks, and of the files with another content or
// mode. It does not look into directories that are equal. It returns false if the other file system is not of this package, or if
// symbolic links could change more than these paths.
func (t tree) Changes(since fs.FS) (paths []string, known bool) {
	before, is := since.(tree)
	if !is || before.limit != t.limit || before.root.links || t.root.links {
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
	a, b := before.entries, now.entries
	for len(a) > 0 || len(b) > 0 {
		order := -1
		switch {
		case len(a) == 0:
			order = 1
		case len(b) > 0:
			order = strings.Compare(a[0].name, b[0].name)
		}
		switch {
		case order < 0:
			c.add(a[0], at)
			a = a[1:]
		case order > 0:
			c.add(b[0], at)
			b = b[1:]
		default:
			c.both(a[0], b[0], at)
			a, b = a[1:], b[1:]
		}
	}
}

// both adds the differences of two entries with the same name.
func (c *changes) both(before, now entry, at string) {
	switch {
	case before.dir != nil && now.dir != nil:
		c.compare(before.dir, now.dir, path.Join(at, now.name))
	case before.dir != nil || now.dir != nil:
		c.add(before, at)
		c.add(now, at)
	case before.file.hash != now.file.hash || before.mode != now.mode:
		c.add(now, at)
	}
}

// add adds an entry with everything below it.
func (c *changes) add(e entry, at string) {
	name := path.Join(at, e.name)
	c.paths = append(c.paths, name)
	if e.dir != nil {
		for _, below := range e.dir.entries {
			c.add(below, name)
		}
	}
}
