// Package diskspace reads the free space of file systems.
package diskspace

import "fmt"

// lowPercent is the share of free space below which space is low.
const lowPercent = 10

// Space is the space of a file system that a user other than root may use, in bytes. The zero Space is unknown.
type Space struct{ Free, Total uint64 }

// Low reports whether less than 10 % is free.
func (s Space) Low() bool { return s.Total > 0 && s.Free*100 < s.Total*lowPercent }

// Below reports whether less than some bytes are free.
func (s Space) Below(bytes uint64) bool { return s.Total > 0 && s.Free < bytes }

// String returns "12 of 4096 MiB free".
func (s Space) String() string { return fmt.Sprintf("%d of %d MiB free", s.Free>>20, s.Total>>20) }
