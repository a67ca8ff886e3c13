package local

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSocketPath is the length of the longest path that every supported system can bind: sun_path holds 104 bytes with its NUL on macOS and
// the BSDs (108 on Linux).
const maxSocketPath = 103

// socketPath returns the socket of the store of the data directory dir, and a function that removes it. In a data
// directory with a short path the socket is a file in it; a long one gets a directory of its own, named after the
// data directory, below the system's temporary directory.
//
// Call it under the directory's lock only: a stale socket of a killed process is removed.
func socketPath(dir string) (path string, remove func() error, err error) {
	if path = filepath.Join(dir, "etcd.sock"); len(path) <= maxSocketPath {
		return path, func() error { return removeFile(path) }, removeFile(path)
	}
	short := filepath.Join(os.TempDir(), fmt.Sprintf("accord-%x", sha256.Sum256([]byte(dir)))[:len("accord-")+20])
	if path = filepath.Join(short, "etcd.sock"); len(path) > maxSocketPath {
		return "", nil, fmt.Errorf("no place for a socket: both data directory %s and temporary directory %s have too long paths", dir, os.TempDir())
	}
	if err := makePrivate(short); err != nil {
		return "", nil, err
	}
	return path, func() error { return os.RemoveAll(short) }, removeFile(path)
}

// makePrivate makes dir for this user alone. One that exists is accepted only if it is such a directory
// already: the temporary directory is everybody's, and somebody else may have been there first.
func makePrivate(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm() != 0o700 || !ownedByUs(info) {
		return fmt.Errorf("%s is not a private directory of this user; remove it", dir)
	}
	return nil
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing a stale socket: %w", err)
	}
	return nil
}
