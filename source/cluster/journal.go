package cluster

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	// spare is the size to which a journal may always grow.
	spare = 4 << 20
	// longestPath is longer than each path of an object: three names of 253 characters.
	longestPath = 1 << 10
	unfinished  = ".new"
)

// journal is a file with snapshots. Each record has the files that differ from those of the record before it, so a snapshot costs the
// changed objects. When the file has twice the size that it had at first, it is replaced by one with the kept snapshots.
//
// A snapshot counts only if the digest of its files is its revision. So a record that was not completely written does not count.
type journal struct {
	path, owner string

	last    *node // of the last record
	written bool  // the file is whole, and records can be added
	size    int64
	limit   int64
}

// read returns the snapshots of the file, with the time of the last one. The error names damaged records, which are dropped.
func (j *journal) read() (all []past, seen time.Time, err error) {
	f, err := os.Open(j.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, time.Time{}, nil
	case err != nil:
		return nil, time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	r := recordReader{Reader: bufio.NewReader(f), left: info.Size()}
	if owner, err := r.text(); err != nil || owner != j.owner {
		return nil, time.Time{}, nil // of a source that had the name before
	}
	for {
		p, err := r.record(j.last)
		switch {
		case errors.Is(err, io.EOF):
			j.written, j.size, j.limit = true, info.Size(), max(2*info.Size(), spare)
			return all, info.ModTime(), nil
		case err != nil:
			return all, info.ModTime(), fmt.Errorf("%s is damaged after %d snapshots: %w", j.path, len(all), err)
		}
		j.last = p.root()
		all = append(all, p)
	}
}

// add writes the last of the snapshots. The nil journal has no file.
func (j *journal) add(all []past) error {
	if j == nil {
		return nil
	}
	p := all[len(all)-1]
	text := appendRecord(nil, j.last, p)
	if !j.written || j.size+int64(len(text)) > j.limit {
		return j.replace(all)
	}
	if err := j.append(text); err != nil {
		j.written = false
		return fmt.Errorf("keeping the snapshot for a restart: %w", err)
	}
	j.last, j.size = p.root(), j.size+int64(len(text))
	return nil
}

func (j *journal) append(text []byte) error {
	f, err := os.OpenFile(j.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// replace writes the file again, which is there as a whole or as it was.
func (j *journal) replace(all []past) error {
	text := appendText(nil, j.owner)
	var last *node
	for _, p := range all {
		text = appendRecord(text, last, p)
		last = p.root()
	}
	if err := j.write(text); err != nil {
		j.written = false
		return fmt.Errorf("keeping the snapshots for a restart: %w", err)
	}
	j.last, j.written, j.size = last, true, int64(len(text))
	j.limit = max(2*j.size, spare)
	return nil
}

func (j *journal) write(text []byte) error {
	if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(j.path+unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(j.path+unfinished, j.path)
}

// confirm records a time as that of the last snapshot.
func (j *journal) confirm(now time.Time) {
	if j != nil && j.written {
		_ = os.Chtimes(j.path, now, now) // an older time claims less
	}
}

// A record has the digest of all files, the digest of the selection, the time, and each changed file: its path, and its content with a
// leading byte, or nothing for a file that is gone. Texts have their length before them.

func appendRecord(b []byte, before *node, p past) []byte {
	var paths []string
	changed(before, p.root(), 0, func(path string) { paths = append(paths, path) })
	slices.Sort(paths)
	b = appendText(b, p.Tree)
	b = appendText(b, p.selection)
	at, _ := p.Time.UTC().MarshalText()
	b = appendText(b, at)
	b = appendText(b, p.Subject)
	b = binary.AppendUvarint(b, uint64(len(paths)))
	for _, path := range paths {
		b = appendText(b, path)
		f := p.root().get(path)
		if f == nil {
			b = binary.AppendUvarint(b, 0)
			continue
		}
		b = binary.AppendUvarint(b, uint64(len(f.content)+1))
		b = append(append(b, '+'), f.content...)
	}
	return b
}

func appendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// recordReader reads records of a file that has left bytes more.
type recordReader struct {
	*bufio.Reader
	left int64
}

// record reads a snapshot that follows another one; io.EOF after the last one.
func (r *recordReader) record(root *node) (past, error) {
	if _, err := r.Peek(1); err != nil {
		return past{}, err
	}
	p, err := r.changes(root)
	if errors.Is(err, io.EOF) {
		return past{}, io.ErrUnexpectedEOF
	}
	return p, err
}

func (r *recordReader) changes(root *node) (past, error) {
	var fields [4]string
	for i := range fields {
		var err error
		if fields[i], err = r.text(); err != nil {
			return past{}, err
		}
	}
	count, err := binary.ReadUvarint(r)
	if err != nil {
		return past{}, err
	}
	for range count {
		path, err := r.text()
		if err != nil {
			return past{}, err
		}
		content, err := r.bytes(r.left)
		switch {
		case err != nil:
			return past{}, err
		case len(content) == 0:
			root = root.without(path)
		default:
			root = root.with(newFile(path, content[1:]))
		}
	}
	digest := root.digest()
	if digits := hex.EncodeToString(digest[:]); digits != fields[0] {
		return past{}, fmt.Errorf("a snapshot has the digest %s, and its files have %s", fields[0], digits)
	}
	p := past{selection: fields[1], Snapshot: snapshotOf("", root)}
	p.Subject = fields[3]
	return p, p.Time.UnmarshalText([]byte(fields[2]))
}

func (r *recordReader) text() (string, error) {
	b, err := r.bytes(longestPath)
	return string(b), err
}

func (r *recordReader) bytes(most int64) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	switch {
	case err != nil:
		return nil, err
	case n > uint64(min(most, r.left)):
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r, b)
	return b, err
}
