package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// versionForm is a tag of Go modules.
var versionForm = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// built are the programs of the repository.
var built = []string{"accord", "accord-apiserver", "accord-agent"}

// check reads the commit. It returns an error for a version or a tree that cannot be released.
func (r *release) check(ctx context.Context) error {
	if !versionForm.MatchString(r.version) {
		return fmt.Errorf("version %q: expected a tag such as v0.1.0", r.version)
	}
	changed, err := r.git(ctx, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("commit these changes first, because a release is built from a commit:\n%s", changed)
	}
	head, err := r.git(ctx, "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	commit, at, _ := strings.Cut(head, " ")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return fmt.Errorf("the date of commit %s: %w", commit, err)
	}
	r.commit, r.date = commit, time.Unix(seconds, 0).UTC()
	entries, err := os.ReadDir(r.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: remove it, or name another directory with --out", r.out)
	}
	r.out, err = filepath.Abs(r.out)
	return err
}

func (r *release) git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", r.source}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// compile builds all programs for all platforms into dir, with modules of the module cache only.
func (r *release) compile(ctx context.Context, dir string) error {
	const vars = "github.com/accord-dev/accord/internal/version."
	ldflags := fmt.Sprintf("-s -w -buildid= -X %[1]srelease=%[2]s -X %[1]scommit=%[3]s -X %[1]sdate=%[4]s", vars, r.version, r.commit, r.date.Format(time.RFC3339))
	for _, p := range r.platforms {
		args := []string{"build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags=" + ldflags, "-o", filepath.Join(dir, p.os, p.arch) + string(filepath.Separator)}
		for _, name := range built {
			args = append(args, "./cmd/"+name)
		}
		begun := time.Now()
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = r.source
		cmd.Stderr = os.Stderr
		cmd.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off")
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("building for %s: %w; \"go mod download\" fetches missing modules", p, err)
		}
		fmt.Printf("built      %-14s in %s\n", p, time.Since(begun).Round(time.Second))
	}
	return nil
}

// program returns the path of a built program.
func program(dir string, p platform, name string) string {
	if p.os == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, p.os, p.arch, name)
}
