//go:build unix

package diskspace

import "syscall"

// Of returns the space of the file system of a path.
func Of(path string) (Space, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return Space{}, err
	}
	block := uint64(s.Bsize)
	return Space{Free: uint64(s.Bavail) * block, Total: uint64(s.Blocks) * block}, nil
}
