package gitrepo

import (
	"fmt"
	"os"
	"path/filepath"
)

// CacheDir returns the requested directory, else accord's directory in the user's cache. It creates the directory with access
// for this user only, because private repositories are cloned there.
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
