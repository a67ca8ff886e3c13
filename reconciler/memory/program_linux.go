package memory

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// releaseProgram has the system forget which pages of the program the process has used: most of them were used at its start only, and
// they are half of its memory. A page that is used again comes from the page cache.
func releaseProgram() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for _, m := range constant(string(maps), program) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.start, m.end-m.start, syscall.MADV_DONTNEED) // an error changes nothing
	}
}

// mapping is a part of the address space.
type mapping struct{ start, end uintptr }

// constant returns the parts that have the content of a file and cannot be written: code and constants. It leaves out a part with
// pages of its own, which a dynamic linker or a debugger has changed: their content is not in the file.
func constant(smaps, file string) []mapping {
	var all []mapping
	var current mapping
	for line := range strings.Lines(smaps) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if strings.HasSuffix(fields[0], ":") {
			if current.end > 0 && fields[0] == "Anonymous:" && len(fields) > 1 && fields[1] == "0" {
				all = append(all, current)
			}
			continue
		}
		current = mapping{}
		from, to, _ := strings.Cut(fields[0], "-")
		start, err := strconv.ParseUint(from, 16, 64)
		if err != nil || len(fields) < 6 || fields[1] != "r-xp" && fields[1] != "r--p" || strings.Join(fields[5:], " ") != file {
			continue
		}
		if end, err := strconv.ParseUint(to, 16, 64); err == nil {
			current = mapping{uintptr(start), uintptr(end)}
		}
	}
	return all
}
