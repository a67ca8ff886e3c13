package source

import (
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/storer"
)

// looseTrees stores the tree objects of a clone as files that zlib does not compress: half of a tree object is hashes, and compressing
// that of a large directory costs more than the rest of a fetch. It has no method but the interface's, because the storage's own writer
// keeps every file open until the last is written.
type looseTrees struct {
	storer.EncodedObjectStorer
	dir string // of the clone
}

// SetEncodedObject stores an object, as git does.
func (s looseTrees) SetEncodedObject(o plumbing.EncodedObject) (plumbing.Hash, error) {
	if o.Type() != plumbing.TreeObject {
		return s.EncodedObjectStorer.SetEncodedObject(o)
	}
	hash := o.Hash()
	objects := filepath.Join(s.dir, "objects")
	name := hash.String()
	path := filepath.Join(objects, name[:2], name[2:])
	if _, err := os.Lstat(path); err == nil {
		return hash, nil
	}
	file, err := os.CreateTemp(filepath.Join(objects, "pack"), "tmp_obj_") // sweep removes leftovers
	if err != nil {
		return hash, err
	}
	if err := errors.Join(writeUncompressed(file, o), file.Close()); err != nil {
		return hash, errors.Join(err, os.Remove(file.Name()))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return hash, errors.Join(err, os.Remove(file.Name()))
	}
	return hash, os.Rename(file.Name(), path)
}

func writeUncompressed(to io.Writer, o plumbing.EncodedObject) error {
	from, err := o.Reader()
	if err != nil {
		return err
	}
	defer from.Close()
	w, err := zlib.NewWriterLevel(to, zlib.NoCompression)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%s %d\x00", o.Type(), o.Size()); err != nil {
		return err
	}
	if _, err := io.Copy(w, from); err != nil {
		return err
	}
	return w.Close()
}
