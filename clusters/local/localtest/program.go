package localtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// programPath names the environment variable that holds the path of the program; make sets it. Without it, each test
// binary asks the go command, which takes a second or two.
const programPath = "ACCORD_TEST_PLANES"

// program returns the path of the program in the go command's cache, and builds it unless it is there.
var program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(programPath); path != "" {
		return path, nil
	}
	if err := statSources(); err != nil {
		return "", err
	}
	out, err := exec.Command("go", "tool", "-n", "github.com/accord-dev/accord/clusters/local/members").Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("building control planes: %w: %s", err, exit.Stderr)
	}
	if err != nil {
		return "", fmt.Errorf("building control planes: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
})

// statSources looks at the sources of the program, because the go command repeats a test whose result it remembers
// only if the test binary, an environment variable or a file that the test looked at has changed.
func statSources() error {
	_, here, _, _ := runtime.Caller(0)
	local := filepath.Dir(filepath.Dir(here))
	if _, err := os.Stat(filepath.Join(local, "..", "..", "go.mod")); err != nil {
		return nil // built with -trimpath
	}
	return filepath.WalkDir(local, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			_, err = os.Stat(path)
		}
		return err
	})
}
