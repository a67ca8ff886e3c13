//go:build unix

package plancache

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// unsafe returns the reason why another user can write to a file or directory; empty if none can.
func unsafe(info fs.FileInfo) string {
	of, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return "has no known owner"
	case int(of.Uid) != os.Geteuid():
		return fmt.Sprintf("belongs to user %d", of.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Sprintf("can be written to by others (mode %04o)", info.Mode().Perm())
	}
	return ""
}
