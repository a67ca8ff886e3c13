//go:build unix

package local

import "syscall"

// spaceOf returns the space of the file system of dir.
func spaceOf(dir string) (space, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return space{}, err
	}
	block := uint64(s.Bsize)
	return space{free: uint64(s.Bavail) * block, total: uint64(s.Blocks) * block}, nil
}
