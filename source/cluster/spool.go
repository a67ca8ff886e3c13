package cluster

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/accord-dev/accord/source"
)

// spoolHead is the first value of a spool.
type spoolHead struct {
	Name, Revision string
	Time           time.Time
}

// spoolFile is one file of a spool.
type spoolFile struct{ Path, Content string }

// Spool writes a snapshot of this package, so that Unspool returns it in another process.
func Spool(w io.Writer, name string, s source.Snapshot) error {
	files, is := s.FS.(tree)
	if !is {
		return errors.New("the snapshot is not of a live cluster")
	}
	compressed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	e := json.NewEncoder(compressed)
	if err := e.Encode(spoolHead{name, s.Revision, s.Time}); err != nil {
		return err
	}
	for f := range files.root.all() {
		if err := e.Encode(spoolFile{f.path, string(f.content)}); err != nil {
			return err
		}
	}
	return compressed.Close()
}

// Unspool reads what Spool wrote. A snapshot with another content than its revision is an error.
func Unspool(r io.Reader) (source.Snapshot, error) {
	compressed, err := gzip.NewReader(r)
	if err != nil {
		return source.Snapshot{}, err
	}
	d := json.NewDecoder(compressed)
	var head spoolHead
	if err := d.Decode(&head); err != nil {
		return source.Snapshot{}, err
	}
	var root *node
	for {
		var f spoolFile
		if err := d.Decode(&f); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return source.Snapshot{}, err
		}
		root = root.with(newFile(f.Path, []byte(f.Content)))
	}
	s := snapshotOf(head.Name, root)
	if s.Time = head.Time; s.Revision != head.Revision {
		return source.Snapshot{}, fmt.Errorf("the objects are those of %s, not of %s", s.Revision, head.Revision)
	}
	return s, nil
}
