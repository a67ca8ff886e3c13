package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
)

// CacheDir is the directory that was asked for, else accord's in the user's cache directory. It exists
// afterwards, for this user only: private repositories are cloned there.
func CacheDir(asked string) (string, error) {
	dir := asked
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding the cache directory (name one with --cache-dir): %w", err)
		}
		dir = filepath.Join(base, "accord")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making the cache directory: %w", err)
	}
	return dir, nil
}
