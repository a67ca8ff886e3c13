// Package plancache keeps results of one run of accord plan for the next one, on this machine.
//
// An entry holds what the same program computed from the same input, and the reader compares the input. An entry that is damaged,
// of another program or of another name is absent. The directory and its entries belong to the user of the process, and nobody else
// may write to them.
package plancache

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// DefaultLimit is the most bytes of all entries together.
const DefaultLimit = 1 << 30

// Store is a directory of entries. The nil Store has none and keeps none.
type Store struct {
	root    *os.Root
	program string // identifies the program
	limit   int64
}

// UnsafeError is the error of a directory that another user can write to.
type UnsafeError struct{ Dir, Why string }

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("%s %s: accord plan does not use it as a cache; remove it, or allow only its owner to write to it", e.Dir, e.Why)
}

// Open opens a directory, and creates it for this user only. limit bounds the bytes of all entries together. The error is an
// *UnsafeError if another user can write to the directory.
func Open(dir string, limit int64) (*Store, error) {
	program, err := identity()
	if err != nil {
		return nil, err
	}
	return open(dir, program, limit)
}

func open(dir, program string, limit int64) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the cache of plans: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the cache of plans: %w", err)
	}
	info, err := root.Stat(".") // of the directory that is open, whatever its path leads to later
	if err == nil {
		if why := unsafe(info); why != "" {
			err = &UnsafeError{dir, why}
		}
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Store{root: root, program: program, limit: limit}, nil
}

// Close releases the directory.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	return s.root.Close()
}

// suffix ends the names of entries; others are unfinished.
const suffix = ".entry"

// fileOf returns the file of an entry.
func fileOf(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:16]) + suffix
}

// seal returns the digest that begins an entry.
func (s *Store) seal(name string, content []byte) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "accord plan %q %q\n", s.program, name)
	h.Write(content)
	return [sha256.Size]byte(h.Sum(nil))
}

// Read returns an entry, and nil if it is absent.
func (s *Store) Read(name string) []byte {
	if s == nil {
		return nil
	}
	file, err := s.root.Open(fileOf(name))
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || unsafe(info) != "" || info.Size() < sha256.Size || info.Size() > s.limit {
		return nil
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil
	}
	content := data[sha256.Size:]
	if sum := s.seal(name, content); !bytes.Equal(sum[:], data[:sha256.Size]) {
		return nil
	}
	now := time.Now()
	_ = s.root.Chtimes(fileOf(name), now, now) // only the order of removal depends on it
	return content
}

// Write replaces an entry at once, and removes the entries that were not used for the longest time until all are within the limit.
// It does not keep an entry that exceeds the limit by itself.
func (s *Store) Write(name string, content []byte) error {
	if s == nil || int64(len(content))+sha256.Size > s.limit {
		return nil
	}
	if err := s.write(name, content); err != nil {
		return fmt.Errorf("writing the cache of plans: %w", err)
	}
	return s.trim(fileOf(name))
}

func (s *Store) write(name string, content []byte) error {
	temporary := rand.Text()
	file, err := s.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := s.seal(name, content)
	_, err = file.Write(sum[:])
	if err == nil {
		_, err = file.Write(content)
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = s.root.Rename(temporary, fileOf(name))
	}
	if err != nil {
		return errors.Join(err, s.root.Remove(temporary))
	}
	return nil
}

// unfinishedAge is the age at which a file of a process that was killed is removed.
const unfinishedAge = time.Hour

// trim removes unfinished files and the oldest entries, but not the file kept.
func (s *Store) trim(kept string) error {
	listed, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("reading the cache of plans: %w", err)
	}
	var entries []fs.FileInfo
	var sum int64
	for _, e := range listed {
		info, err := e.Info()
		if err != nil {
			continue // another process removed it
		}
		if !strings.HasSuffix(e.Name(), suffix) {
			if time.Since(info.ModTime()) > unfinishedAge {
				_ = s.root.Remove(e.Name())
			}
			continue
		}
		entries, sum = append(entries, info), sum+info.Size()
	}
	slices.SortFunc(entries, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, e := range entries {
		if sum <= s.limit {
			break
		}
		if e.Name() != kept && s.root.Remove(e.Name()) == nil {
			sum -= e.Size()
		}
	}
	return nil
}
