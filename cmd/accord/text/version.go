package text

import "runtime/debug"

// Version returns the module version that the Go command recorded: a tag, a pseudo-version, or "(devel)" for a binary that was
// not built from a version-controlled tree.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
