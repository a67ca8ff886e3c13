//go:build !linux

package memory

// releaseProgram does nothing: other systems have no such call.
func releaseProgram() {}
