package accord_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProgramsBuildOnEveryPlatform finds names that a platform of a release lacks, such as syscall.Flock on Windows, or a function in a file
// for Unix only. It builds nothing: a cross build of all programs takes minutes. Modules that only another platform needs may be absent.
func TestProgramsBuildOnEveryPlatform(t *testing.T) {
	for _, goos := range []string{"windows", "darwin"} {
		t.Run(goos, func(t *testing.T) {
			t.Parallel()
			for _, missing := range checkPlatform(t, goos, listedFor(t, goos, "./cmd/...")) {
				t.Error(missing)
			}
		})
	}
}

// TestCheckPlatformFindsNames keeps the test above honest.
func TestCheckPlatformFindsNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "diskspace")
	require.NoError(t, os.Mkdir(dir, 0o755))
	for _, test := range []struct{ goos, source, missing string }{
		{"windows", `import "syscall"; var _ = syscall.Flock`, "undefined: syscall.Flock"},
		{"windows", `import s "syscall"; func lock() { _ = s.Flock(1, s.LOCK_EX) }`, "undefined: s.Flock"},
		{"windows", `import "syscall"; var _ = syscall.SysProcAttr{Setsid: true}`, "unknown field Setsid in struct literal of type syscall.SysProcAttr"},
		{"windows", `import "golang.org/x/sys/unix"; var _ = unix.Getuid()`, "undefined: unix.Getuid"},
		{"windows", `var _ = inAFileForUnix()`, "undefined: inAFileForUnix"},
		{"darwin", `import "syscall"; var _ = syscall.SysProcAttr{Pdeathsig: 9}`, "unknown field Pdeathsig in struct literal of type syscall.SysProcAttr"},
		{"darwin", `import "golang.org/x/sys/windows"; var _ = windows.ERROR_IO_PENDING`, "golang.org/x/sys/windows has no file for darwin"},

		{"windows", `import "syscall"; var _ = syscall.SysProcAttr{HideWindow: true}`, ""},
		{"darwin", `import "syscall"; var _ = syscall.SysProcAttr{Setsid: true}`, ""},
		{"darwin", `import "github.com/go-git/go-git/v5"; var _ = git.PlainOpenOptions{}.X`, ""}, // nobody checks other modules
	} {
		packages := listedFor(t, test.goos, "syscall", "github.com/go-git/go-git/v5", "golang.org/x/sys/unix", "golang.org/x/sys/windows")
		packages[module+"/internal/diskspace"] = goPackage{Name: "diskspace", Dir: dir, GoFiles: []string{"main.go"}}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package diskspace\n"+test.source), 0o644))
		found := strings.Join(checkPlatform(t, test.goos, packages), "\n")
		if test.missing == "" {
			require.Empty(t, found, test.source)
		} else {
			require.Contains(t, found, test.missing)
		}
	}
}

// listedFor lists packages and what they import on a platform. It uses no network.
func listedFor(t *testing.T, goos string, patterns ...string) map[string]goPackage {
	return goList(t, []string{"GOOS=" + goos, "GOARCH=amd64", "CGO_ENABLED=0", "GOPROXY=off"},
		append([]string{"-e", "-deps", "-json=ImportPath,Name,Dir,GoFiles"}, patterns...)...)
}

// platformChecker checks types in our own packages, syscall and x/sys. It knows nothing about other packages, and reports no errors about
// their names.
type platformChecker struct {
	goos     string
	packages map[string]goPackage
	set      *token.FileSet
	checked  map[string]*types.Package
	missing  []string
}

func checkPlatform(t *testing.T, goos string, packages map[string]goPackage) []string {
	c := &platformChecker{goos: goos, packages: packages, set: token.NewFileSet(), checked: map[string]*types.Package{}}
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		if under(path, module) {
			_, err := c.Import(path)
			require.NoError(t, err)
		}
	}
	return c.missing
}

// Import returns a package for those that import it.
func (c *platformChecker) Import(path string) (*types.Package, error) {
	ours := under(path, module)
	if p := c.checked[path]; p != nil {
		return p, nil
	}
	if !ours && path != "syscall" && !strings.HasPrefix(path, "golang.org/x/sys/") {
		return nil, fmt.Errorf("%s is not checked", path)
	}
	files, err := c.parse(path)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: c, FakeImportC: true, IgnoreFuncBodies: !ours, Sizes: types.SizesFor("gc", "amd64"), Error: func(err error) {
		if message := err.Error(); ours && (strings.Contains(message, ": undefined: ") || strings.Contains(message, "syscall.")) {
			c.missing = append(c.missing, c.goos+": "+message)
		}
	}}
	c.checked[path], _ = config.Check(path, c.set, files, nil) // config.Error has the errors
	return c.checked[path], nil
}

// parse returns the files of a package on the platform. It names all imports, because nobody reads the names of their packages.
func (c *platformChecker) parse(path string) ([]*ast.File, error) {
	p := c.packages[path]
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(c.set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, spec := range file.Imports {
			imported := c.packages[importPath(spec)]
			if imported.Dir != "" && len(imported.GoFiles) == 0 {
				c.missing = append(c.missing, fmt.Sprintf("%s: %s has no file for %s", c.set.Position(spec.Pos()), imported.ImportPath, c.goos))
			}
			if spec.Name == nil && imported.Name != "" {
				spec.Name = ast.NewIdent(imported.Name)
			}
		}
		files = append(files, file)
	}
	return files, nil
}
