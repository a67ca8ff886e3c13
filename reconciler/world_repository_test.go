package reconciler_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/source"
)

// repository is a bare Git repository and a work tree to push from.
type repository struct {
	t          *testing.T
	bare, work string
	federation string
	pushing    func() // is called before a commit is pushed; nil: nothing is to be done
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	dir := t.TempDir()
	r := &repository{t: t, bare: filepath.Join(dir, "repository.git"), work: filepath.Join(dir, "work")}
	r.git(dir, "init", "--quiet", "--bare", "--initial-branch=main", r.bare)
	r.git(dir, "clone", "--quiet", r.bare, r.work)
	return r
}

// source is the branch main of it.
func (r *repository) source(name string) v1alpha1.Source {
	return v1alpha1.Source{Name: name, URL: r.bare, Ref: &v1alpha1.Ref{Branch: "main"}}
}

func (r *repository) git(dir string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(r.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

// push commits files, given as path and content in turn; an empty content removes the file. It returns the commit.
func (r *repository) push(message string, files ...string) string {
	r.t.Helper()
	r.commit(message, files...)
	r.git(r.work, "push", "--quiet", "origin", "HEAD:main")
	return r.git(r.work, "rev-parse", "HEAD")
}

// commit is push without the push.
func (r *repository) commit(message string, files ...string) {
	r.t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(r.work, files[i])
		if files[i+1] == "" {
			require.NoError(r.t, os.Remove(path))
			continue
		}
		require.NoError(r.t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(r.t, os.WriteFile(path, []byte(files[i+1]), 0o600))
	}
	if r.pushing != nil {
		r.pushing()
	}
	r.git(r.work, "add", "--all")
	r.git(r.work, "commit", "--quiet", "--allow-empty", "-m", message)
}

// everySource allows the repositories of tests: paths, and servers on loopback.
func everySource() source.Policy {
	return source.Policy{Local: true, Networks: egress.Everywhere()}
}
