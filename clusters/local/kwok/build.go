package kwok

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed kwok.mod
var toolMod []byte

//go:embed kwok.sum
var toolSum []byte

// Build returns the path of a kwok program in the go command's cache, and builds it unless it is there, which takes a
// minute or more. It works from the module files embedded here: the machine needs Go, and no source code.
func Build(ctx context.Context) (program string, err error) {
	dir, err := os.MkdirTemp("", "accord-kwok-")
	if err != nil {
		return "", fmt.Errorf("building kwok: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for name, content := range map[string][]byte{"go.mod": toolMod, "go.sum": toolSum} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return "", fmt.Errorf("building kwok: %w", err)
		}
	}
	cmd := exec.CommandContext(ctx, "go", "tool", "-n", "kwok")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=") // of whatever workspace we were started in
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("building kwok: %s: %w: %s", cmd, err, strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("building kwok: %s: %w", cmd, err)
	}
	return strings.TrimSpace(string(out)), nil
}
