// Package start makes short commands cheap. The packages of Kubernetes allocate 15 MB before main begins, from which the runtime collected
// garbage three times: a third of the CPU time of "accord version", for objects that live as long as the process. This package postpones
// the first collection until the heap has 32 MiB, and then restores what the runtime does by default.
//
// It works because Go initializes packages in the order of their import paths, as soon as their own imports are initialized: this one
// imports only os and runtime/debug, for which most packages of Kubernetes wait, too. 2.5 MB are allocated before it.
package start

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	byDefault = 100 // GOGC without the variable
	postponed = 800 // the runtime first collects at 4 MiB * GOGC / 100
)

func init() {
	if os.Getenv("GOGC") == "" {
		postpone()
	}
}

// postpone sets the size of the heap at the first collection. The collection finds that nobody refers to an object, whose cleanup restores
// the default, unless the program has set another value meanwhile.
func postpone() {
	debug.SetGCPercent(postponed)
	runtime.AddCleanup(&struct{ *byte }{}, func(percent int) {
		if now := debug.SetGCPercent(percent); now != postponed {
			debug.SetGCPercent(now)
		}
	}, byDefault)
}
