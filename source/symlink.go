package source

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

const maxLinks = 40 // as on Linux

// walk returns the entry at name. It follows symbolic links on the way, and a link at the end if follow is set; a
// link that leaves the tree is an error.
func (t tree) walk(op, name string, follow bool) (entry, error) {
	if !fs.ValidPath(name) {
		return entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	e, err := t.resolve(strings.Split(name, "/"), follow)
	if err != nil {
		return entry{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return e, nil
}

// step is a directory on the path, with the name by which it was entered.
type step struct {
	name string
	dir  *dir
}

func (t tree) resolve(todo []string, follow bool) (entry, error) {
	in := []step{{"", t.root}}
	var last link
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..": // only links contain these
			if len(in) == 1 {
				return entry{}, fmt.Errorf("%w: %s leads out of the tree", ErrSymlink, last)
			}
			in = in[:len(in)-1]
			continue
		}
		e, ok := in[len(in)-1].dir.find(name)
		switch {
		case !ok:
			return entry{}, last.missing()
		case e.dir != nil:
			in = append(in, step{name, e.dir})
		case e.mode&fs.ModeSymlink != 0 && (follow || len(todo) > 0):
			last = link{path: where(in, name), target: string(e.file.content)}
			if links++; links > maxLinks {
				return entry{}, fmt.Errorf("%w: %s is part of a loop", ErrSymlink, last)
			}
			if !e.file.held || path.IsAbs(last.target) {
				return entry{}, fmt.Errorf("%w: %s leads out of the tree", ErrSymlink, last)
			}
			todo = append(strings.Split(last.target, "/"), todo...)
		case len(todo) > 0:
			return entry{}, last.missing() // a file is not a directory
		default:
			return e, nil
		}
	}
	here := in[len(in)-1]
	return entry{name: here.name, mode: fs.ModeDir | 0o755, dir: here.dir}, nil
}

func where(in []step, name string) string {
	var b strings.Builder
	for _, s := range in[1:] {
		b.WriteString(s.name + "/")
	}
	return b.String() + name
}

type link struct{ path, target string }

func (l link) String() string { return fmt.Sprintf("link %q -> %q", l.path, l.target) }

// missing returns the error for a path that does not exist; it names the link that led there, if any.
func (l link) missing() error {
	if l.path == "" {
		return fs.ErrNotExist
	}
	return fmt.Errorf("%s: %w", l, fs.ErrNotExist)
}
