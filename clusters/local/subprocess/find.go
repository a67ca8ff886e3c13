package subprocess

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// remedy says how to get the program.
const remedy = "every release archive has both programs, and \"make build\" builds both"

// VersionError is the error of a program of another release.
type VersionError struct{ Program, Has, Want string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s has version %s, and accord has %s: put that version of %s beside accord (%s)", e.Program, e.Has, e.Want, Program, remedy)
}

// Find returns the path of the program: the one given, else beside accord, else in PATH.
func Find(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	var beside []string
	if self, err := os.Executable(); err == nil {
		beside = append(beside, self)
	}
	if self, err := exec.LookPath(os.Args[0]); err == nil {
		beside = append(beside, self) // it may be a link to the file above
	}
	return find(beside)
}

// find looks into the directories of the files, and then in PATH.
func find(beside []string) (string, error) {
	name := Program
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, file := range beside {
		path, err := exec.LookPath(filepath.Join(filepath.Dir(file), name))
		if err == nil {
			return filepath.Abs(path)
		}
	}
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("the program %s is neither beside accord nor in PATH: %s; --apiserver names another place", Program, remedy)
	}
	return path, err
}
