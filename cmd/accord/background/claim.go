// Package background runs a hub that outlives its terminal, and ends it.
//
// The data directory has the number of the process of its hub in accord.pid. The process holds a lock on that file until it has ended,
// whatever ends it. So a number that another process has meanwhile is never signalled.
package background

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
)

const (
	pidFile = "accord.pid"
	logFile = "accord.log"
	// look is the time between two looks at a locked file, and looks is the most of them.
	look  = 10 * time.Millisecond
	looks = 100
)

// A Claim makes this process the only hub of a data directory.
type Claim struct{ file *fileutil.LockedFile }

// Take makes this process the hub of dir, and creates the directory if it does not exist.
func Take(dir string) (*Claim, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the data directory: %w", err)
	}
	lock := func() (*fileutil.LockedFile, error) {
		return fileutil.TryLockFile(filepath.Join(dir, pidFile), os.O_CREATE|os.O_RDWR, 0o600)
	}
	file, err := lock()
	if errors.Is(err, fileutil.ErrLocked) { // maybe by "accord down", for a moment
		time.Sleep(poll)
		file, err = lock()
	}
	if errors.Is(err, fileutil.ErrLocked) {
		return nil, inUse(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("locking the data directory: %w", err)
	}
	c := &Claim{file}
	if err := c.write(strconv.Itoa(os.Getpid()) + "\n"); err != nil {
		return nil, errors.Join(fmt.Errorf("writing the number of the process: %w", err), file.Close())
	}
	return c, nil
}

// inUse returns the error of a data directory that another hub has.
func inUse(dir string) error {
	return fmt.Errorf("the data directory %s is in use by another hub: \"accord down --data-dir %s\" stops it", dir, dir)
}

// Release empties the file and gives the directory up.
func (c *Claim) Release() error {
	if err := errors.Join(c.write(""), c.file.Close()); err != nil {
		return fmt.Errorf("releasing the data directory: %w", err)
	}
	return nil
}

func (c *Claim) write(text string) error {
	if err := c.file.Truncate(0); err != nil {
		return err
	}
	_, err := c.file.WriteAt([]byte(text), 0)
	return err
}

// running returns the process of the hub of dir, and 0 if none runs. A directory without the file never had a hub.
//
// A hub that begins or ends holds the lock of an empty file for a moment, and so does this function, of a file that may have the number of
// a hub that crashed. So a number counts if it is there twice.
func running(dir string) (pid int, err error) {
	path := filepath.Join(dir, pidFile)
	before := 0
	for range looks {
		lock, err := fileutil.TryLockFile(path, os.O_RDWR, 0o600)
		if err == nil {
			return 0, lock.Close()
		}
		if !errors.Is(err, fileutil.ErrLocked) {
			return 0, err
		}
		if pid, err = read(dir); err == nil && pid == before {
			return pid, nil
		}
		before = pid
		time.Sleep(look)
	}
	return 0, fmt.Errorf("a process has locked %s, and does not write its number", path)
}

// read returns the process that the file of dir names.
func read(dir string) (pid int, err error) {
	path := filepath.Join(dir, pidFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
		return 0, fmt.Errorf("reading %s: %w", path, err)
	}
	return pid, nil
}
