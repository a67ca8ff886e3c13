package text

import "runtime/debug"

// Version is that of the module as the Go command recorded it: a tag, a pseudo-version, or "(devel)" when
// the binary was not built from a version-controlled tree.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
