package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// repository is a bare Git repository with a work tree that is pushed to it.
type repository struct{ bare, tree string }

func newRepository(ctx context.Context, dir string) (*repository, error) {
	r := &repository{bare: filepath.Join(dir, "shop.git"), tree: filepath.Join(dir, "shop")}
	if err := git(ctx, dir, "init", "--quiet", "--bare", "--initial-branch=main", r.bare); err != nil {
		return nil, err
	}
	return r, git(ctx, dir, "clone", "--quiet", r.bare, r.tree)
}

// url returns the source URL for a Federation.
func (r *repository) url() string { return "file://" + r.bare }

// write puts text into a file of the work tree.
func (r *repository) write(name, text string) error {
	path := filepath.Join(r.tree, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// writeObjects puts the objects [from, to) into a file each.
func (r *repository) writeObjects(w workload, from, to int, tag string) error {
	for i := from; i < to; i++ {
		if err := r.writeObject(w.directory(i), w, i, tag); err != nil {
			return err
		}
	}
	return nil
}

// writeObject puts object i into a file of a directory.
func (r *repository) writeObject(dir string, w workload, i int, tag string) error {
	text, err := yaml.Marshal(w.object(i, tag).Object)
	if err != nil {
		return fmt.Errorf("encoding object %d: %w", i, err)
	}
	return r.write(filepath.Join(dir, w.name(i)+".yaml"), string(text))
}

// push commits whatever changed in the work tree.
func (r *repository) push(ctx context.Context, subject string) error {
	for _, args := range [][]string{
		{"add", "--all"}, {"commit", "--quiet", "--message", subject}, {"push", "--quiet", "origin", "HEAD:main"},
	} {
		if err := git(ctx, r.tree, args...); err != nil {
			return err
		}
	}
	return nil
}

// git runs without what is configured on this machine.
func git(ctx context.Context, dir string, args ...string) error {
	c := exec.CommandContext(ctx, "git", append([]string{"-c", "gc.auto=0"}, args...)...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@localhost", "GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@localhost")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, strings.TrimSpace(string(out)))
	}
	return nil
}
