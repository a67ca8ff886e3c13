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

// A pack is small on the wire and can be of any size when it is unpacked, and
// go-git gets memory for each object as large as the pack says. So a pack is
// written down and looked through before go-git has it.

// spool writes a pack to a file that sweep removes if this process dies.
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

// inspect refuses a pack with an object, or with all objects together, that is
// too large, and leaves it at its beginning.
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

// anyObject is what an object may have however small the limit for a tree is.
const anyObject = 16 << 20

// object refuses a size; one that makes no sense is go-git's to refuse.
func (l limits) object(size int64) error {
	most := max(l.tree, anyObject)
	if size <= most {
		return nil
	}
	return fmt.Errorf("%w: the download has an object of %s, the limit is %s", ErrTooLarge, bytesOf(size), bytesOf(most))
}

// beginning keeps the first bytes of what is written to it.
type beginning struct {
	first [2 * binary.MaxVarintLen64]byte
	n     int
}

func (b *beginning) Write(p []byte) (int, error) {
	b.n += copy(b.first[b.n:], p)
	return len(p), nil
}

// target is the size of what a difference makes: the second of the two numbers
// that it begins with. It is 0 if there are none.
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
