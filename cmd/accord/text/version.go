package text

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version returns the module version that the Go command recorded: a tag, a pseudo-version, or "(devel)" for a binary that was
// not built from a version-controlled tree.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// Build returns the version of this binary, the commit that it was built from, and the Go version and platform, each on a line.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return build(Version(), info.Settings)
}

func build(version string, settings []debug.BuildSetting) string {
	commit, changed := "unknown", ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", with changes that are not committed"
		}
	}
	return fmt.Sprintf("accord %s\n  commit    %s%s\n  built by  %s for %s/%s\n", version, commit, changed,
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// DefaultImage returns the image of this version. A tag must not have "+". A binary that was not built from a version uses the
// tag "devel".
func DefaultImage(version string) string {
	tag := strings.ReplaceAll(strings.Trim(version, "()"), "+", "-")
	return "ghcr.io/accord-dev/accord:" + tag
}
