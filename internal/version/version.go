// Package version knows which release this program is.
package version

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"strings"
)

// make release sets these with the linker. They are empty in other builds.
var release, commit, date string

// Devel is the version of a program that was not built from a version-controlled tree.
const Devel = "(devel)"

// Info describes a build.
type Info struct {
	// Version is a tag, a pseudo-version of the Go command, or Devel.
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	// Date is that of the commit.
	Date string `json:"date,omitempty"`
	// Modified is true for a tree with changes that are not committed.
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Kubernetes is the release whose libraries are in the program.
	Kubernetes string `json:"kubernetes,omitempty"`
}

// Get returns the build of this program: the values of the linker, else those that the Go command recorded.
func Get() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	i := read(info)
	i.Version, i.Commit, i.Date = cmp.Or(release, i.Version, Devel), cmp.Or(commit, i.Commit), cmp.Or(date, i.Date)
	i.Go, i.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	return i
}

// read returns what the Go command recorded.
func read(info *debug.BuildInfo) Info {
	i := Info{Version: info.Main.Version}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.time":
			i.Date = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	for _, d := range info.Deps {
		if minor, is := strings.CutPrefix(d.Version, "v0."); is && d.Path == "k8s.io/client-go" {
			i.Kubernetes = "v1." + minor
		}
	}
	return i
}
