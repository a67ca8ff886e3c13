package local

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.uber.org/zap"
)

// DamagedStoreError is the error of a data directory whose store cannot be used. Options.Rebuild starts a new one beside it.
type DamagedStoreError struct {
	// File is the damaged file or directory.
	File  string
	Cause error
}

func (e *DamagedStoreError) Error() string {
	return fmt.Sprintf("the store is damaged: %s: %v", e.File, e.Cause)
}

// Unwrap returns the cause.
func (e *DamagedStoreError) Unwrap() error { return e.Cause }

// checkStore returns a DamagedStoreError if etcd would panic on the directory or never become ready. It changes nothing. A
// directory without a store, and a log that ends in the middle of a record, as after a power failure, are no damage.
func checkStore(dir string) (err error) {
	log, db := filepath.Join(dir, "member", "wal"), filepath.Join(dir, "member", "snap", "db")
	reading := db
	defer func() { // the libraries panic on content that they did not write
		if p := recover(); p != nil {
			err = &DamagedStoreError{reading, fmt.Errorf("its content cannot be read: %v", p)}
		}
	}()
	applied, err := appliedIndex(db)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !wal.Exist(log):
		return nil
	case errors.Is(err, fs.ErrNotExist): // etcd stopped before it created the database
		applied = 0
	case err != nil:
		return &DamagedStoreError{db, err}
	case !wal.Exist(log):
		return &DamagedStoreError{log, errors.New("the write-ahead log is missing")}
	}
	reading = log
	last, err := lastIndex(log)
	if err != nil {
		return &DamagedStoreError{log, fmt.Errorf("the write-ahead log cannot be read: %w", err)}
	}
	if last < applied {
		return &DamagedStoreError{log, fmt.Errorf("the write-ahead log ends at entry %d, and the database has entry %d", last, applied)}
	}
	return nil
}

// appliedIndex returns the index of the last entry of the log that the database has.
func appliedIndex(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if info.Size() == 0 {
		return 0, errors.New("the database is empty")
	}
	db, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true, Timeout: time.Second})
	if err != nil {
		return 0, fmt.Errorf("the database cannot be opened: %w", err)
	}
	defer db.Close()
	var index uint64
	err = db.View(func(tx *bolt.Tx) error {
		if tx.Size() > info.Size() {
			return fmt.Errorf("the database has %d of %d bytes", info.Size(), tx.Size())
		}
		if meta := tx.Bucket([]byte("meta")); meta != nil {
			if v := meta.Get([]byte("consistent_index")); len(v) == 8 {
				index = binary.BigEndian.Uint64(v)
			}
		}
		return nil
	})
	return index, err
}

// lastIndex returns the index of the last entry of the log.
func lastIndex(dir string) (uint64, error) {
	log := zap.NewNop()
	snapshots, err := wal.ValidSnapshotEntries(log, dir)
	if err != nil {
		return 0, err
	}
	if len(snapshots) == 0 {
		return 0, errors.New("it has no snapshot entry")
	}
	from := snapshots[len(snapshots)-1]
	w, err := wal.OpenForRead(log, dir, from)
	if err != nil {
		return 0, err
	}
	defer w.Close()
	metadata, _, entries, err := w.ReadAll()
	switch {
	case err != nil:
		return 0, err
	case metadata == nil:
		return 0, errors.New("it has no record of the member")
	case len(entries) > 0:
		return entries[len(entries)-1].Index, nil
	}
	return from.Index, nil
}

// setAside renames the directory of the store, so that a new store can take its place. It keeps the old one.
func setAside(dir string, now time.Time) error {
	err := os.Rename(dir, dir+".before-"+now.UTC().Format("20060102T150405Z"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
