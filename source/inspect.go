package source

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// A small pack can unpack to any size, and go-git allocates as much memory for an object as the pack declares. So a
// pack is written to disk and inspected before go-git reads it.

// spool writes a pack to a temporary file, which sweep removes if this process dies.
func (c *clone) spool(pack io.Reader) (*os.File, error) {
	dir := c.dir + "/objects/pack"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "tmp_incoming_")
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(f, pack); err != nil {
		return nil, errors.Join(err, discard(f))
	}
	return f, nil
}

// discard closes and removes a file.
func discard(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// inspect returns an error if one object or all objects together exceed the limits. Afterwards the file is at its
// beginning.
func inspect(ctx context.Context, pack *os.File, l limits) error {
	if _, err := pack.Seek(0, io.SeekStart); err != nil {
		return err
	}
	scan := packfile.NewScanner(struct{ io.Reader }{bufio.NewReader(pack)})
	_, objects, err := scan.Header()
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	left := max(l.download(), anyObject)
	for range objects {
		if err := ctx.Err(); err != nil {
			return err
		}
		header, err := scan.NextObjectHeader()
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if err := l.object(header.Length); err != nil {
			return err
		}
		if left -= header.Length; left < 0 {
			return fmt.Errorf("%w: the download unpacks to more than eight times the limit for a tree", ErrTooLarge)
		}
		head := &beginning{}
		if _, _, err := scan.NextObject(head); err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if header.Type == plumbing.OFSDeltaObject || header.Type == plumbing.REFDeltaObject {
			if err := l.object(head.target()); err != nil {
				return err
			}
		}
	}
	_, err = pack.Seek(0, io.SeekStart)
	return err
}

// anyObject is the size that an object may always have, even if the limit of a tree is smaller.
const anyObject = 16 << 20

// object returns an error if an object is too large. A nonsensical size is left to go-git.
func (l limits) object(size int64) error {
	most := max(l.tree, anyObject)
	if size <= most {
		return nil
	}
	return fmt.Errorf("%w: the download has an object of %s, the limit is %s", ErrTooLarge, bytesOf(size), bytesOf(most))
}

// beginning keeps the first bytes that are written to it.
type beginning struct {
	first [2 * binary.MaxVarintLen64]byte
	n     int
}

func (b *beginning) Write(p []byte) (int, error) {
	b.n += copy(b.first[b.n:], p)
	return len(p), nil
}

// target returns the size of a delta's result, the second of the two numbers at its beginning; 0 if they are missing.
func (b *beginning) target() int64 {
	r := bytes.NewReader(b.first[:b.n])
	if _, err := binary.ReadUvarint(r); err != nil {
		return 0
	}
	size, err := binary.ReadUvarint(r)
	if err != nil || size > 1<<62 {
		return 0
	}
	return int64(size)
}
