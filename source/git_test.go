package source_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source"
)

// everywhere runs a test on every way to reach a repository.
func everywhere(t *testing.T, test func(t *testing.T, up *upstream, o source.Options)) {
	t.Run("path", func(t *testing.T) {
		up := newUpstream(t)
		test(t, up, source.Options{URL: up.dir})
	})
	t.Run("file", func(t *testing.T) {
		up := newUpstream(t)
		test(t, up, source.Options{URL: "file://" + up.dir + "/.git"})
	})
	t.Run("https", func(t *testing.T) {
		up := newUpstream(t)
		server := serveHTTP(t, up, true)
		test(t, up, source.Options{Insecure: true, URL: server.url(), Auth: &source.Auth{CA: certificate(server)}})
	})
	t.Run("ssh", func(t *testing.T) {
		up := newUpstream(t)
		server := serveSSH(t)
		test(t, up, source.Options{Insecure: true, URL: server.url(up), Auth: server.auth()})
	})
}

func at(o source.Options, ref source.Ref) source.Options {
	o.Ref = ref
	return o
}

func TestSnapshotTellsAboutItsCommit(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, up *upstream, o source.Options) {
		commit := up.commit("Ship it\n\nbecause we can\n\nApproved-by: Eve", "apps/web.yaml", "kind: Deployment\n", "README.md", "hi\n")
		s := fetch(t, newCache(t), o)
		require.Equal(t, "main@sha1:"+commit, s.Revision)
		require.Equal(t, commit, s.Commit)
		require.Equal(t, up.git("rev-parse", "HEAD^{tree}"), s.Tree)
		require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), s.Time)
		require.Equal(t, "Ada <ada@example.org>", s.Author)
		require.Equal(t, "Ship it", s.Subject)
		require.Contains(t, s.Message, "Approved-by: Eve")
		require.NoError(t, fstest.TestFS(s.FS, "apps/web.yaml", "README.md"))
	})
}

func TestRefs(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, up *upstream, o source.Options) {
		c := newCache(t)
		one := up.commit("one", "v", "1")
		up.git("tag", "v1.0.0")
		up.git("tag", "light")
		two := up.commit("two", "v", "2")
		up.git("tag", "-a", "v1.1.0", "-m", "annotated")
		up.git("tag", "-a", "twice", "-m", "a tag of a tag", "v1.1.0")
		up.git("tag", "a-tree", "HEAD^{tree}")
		up.git("checkout", "-q", "-b", "feature/x")
		three := up.commit("three", "v", "3")
		up.git("tag", "2.0.0-rc.1")
		up.git("checkout", "-q", "main")

		for _, test := range []struct {
			ref      source.Ref
			revision string
			content  string
		}{
			{source.Ref{}, "main@sha1:" + two, "2"},
			{source.Ref{Branch: "feature/x"}, "feature/x@sha1:" + three, "3"},
			{source.Ref{Tag: "light"}, "light@sha1:" + one, "1"},
			{source.Ref{Tag: "v1.1.0"}, "v1.1.0@sha1:" + two, "2"},
			{source.Ref{Tag: "twice"}, "twice@sha1:" + two, "2"},
			{source.Ref{SemVer: ">=1.0.0"}, "v1.1.0@sha1:" + two, "2"},
			{source.Ref{SemVer: "1.0.x"}, "v1.0.0@sha1:" + one, "1"},
			{source.Ref{SemVer: ">=2.0.0-0"}, "2.0.0-rc.1@sha1:" + three, "3"},
			{source.Ref{Commit: two}, "sha1:" + two, "2"},
			{source.Ref{Commit: one}, "sha1:" + one, "1"},
			{source.Ref{Commit: strings.ToUpper(one), Branch: "main"}, "main@sha1:" + one, "1"},
		} {
			s := fetch(t, c, at(o, test.ref))
			require.Equal(t, test.revision, s.Revision)
			require.Equal(t, test.content, read(t, s, "v"))
			fresh := fetch(t, newCache(t), at(o, test.ref))
			require.Equal(t, test.revision, fresh.Revision, "with nothing in the cache")
			require.Equal(t, s.Tree, fresh.Tree)
		}
		for _, test := range []struct {
			ref  source.Ref
			says string
		}{
			{source.Ref{Branch: "mian"}, `: branch "mian" not found; did you mean "main"?`},
			{source.Ref{Branch: "production"}, `: branch "production" not found; branches: feature/x, main`},
			{source.Ref{Branch: "light"}, `: branch "light" not found; there is a tag of that name`},
			{source.Ref{Tag: "v1.0.1"}, `: tag "v1.0.1" not found; did you mean "v1.0.0"?`},
			{source.Ref{Tag: "main"}, `: tag "main" not found; there is a branch of that name`},
			{source.Ref{Tag: "a-tree"}, "is not a commit"},
			{source.Ref{SemVer: ">=7"}, `: no tag is within semver range ">=7"; the highest version is "2.0.0-rc.1"`},
			{source.Ref{Commit: strings.Repeat("12", 20)}, "not found"},
			{source.Ref{Commit: one, Branch: "gone"}, `: branch "gone" not found`},
		} {
			_, err := c.Fetch(context.Background(), at(o, test.ref))
			require.ErrorIs(t, err, source.ErrRefNotFound)
			require.Contains(t, err.Error(), test.says)
			require.Contains(t, err.Error(), strings.TrimPrefix(o.URL, "ssh://git@"))
		}
	})
}

// A signature covers the objects as Git stores them, so a snapshot has the commit and the annotated tag that led to it.
func TestSignedObjects(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, up *upstream, o source.Options) {
		c := newCache(t)
		up.commit("one", "v", "1")
		up.git("tag", "light")
		up.git("tag", "-a", "v1.1.0", "-m", "annotated")
		up.git("tag", "-a", "twice", "-m", "a tag of a tag", "v1.1.0")
		raw := func(of ...string) string { return up.git(append([]string{"cat-file"}, of...)...) }
		require.Nil(t, fetch(t, c, o).RawTag)
		for range 2 { // the commit is known before the tag is
			for _, tag := range []string{"v1.1.0", "twice"} {
				s := fetch(t, c, at(o, source.Ref{Tag: tag}))
				require.Equal(t, raw("tag", tag), strings.TrimSpace(string(s.RawTag)))
				require.Equal(t, raw("commit", "HEAD"), strings.TrimSpace(string(s.RawCommit)))
			}
			require.Nil(t, fetch(t, c, at(o, source.Ref{Tag: "light"})).RawTag)
		}
		up.git("tag", "-a", "-f", "v1.1.0", "-m", "moved")
		require.Contains(t, string(fetch(t, c, at(o, source.Ref{SemVer: ">=1.0.0"})).RawTag), "moved")
	})
}

func TestHistoryMoves(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, up *upstream, o source.Options) {
		c := newCache(t)
		first := up.commit("first", "a", "1", "same/b", "b")
		up.git("tag", "stable")
		old := fetch(t, c, o)
		require.Equal(t, first, old.Commit)

		t.Log("forward, by one commit and by several")
		up.commit("second", "a", "2")
		require.Equal(t, "2", read(t, fetch(t, c, o), "a"))
		for _, v := range []string{"3", "4", "5"} {
			up.commit(v, "a", v)
		}
		require.Equal(t, "5", read(t, fetch(t, c, o), "a"))

		t.Log("back, where it was")
		up.git("reset", "-q", "--hard", "HEAD~2")
		require.Equal(t, "3", read(t, fetch(t, c, o), "a"))

		t.Log("aside, to a rewritten commit")
		up.git("commit", "-q", "--amend", "-m", "rewritten")
		rewritten := fetch(t, c, o)
		require.Equal(t, "rewritten", rewritten.Subject)

		t.Log("away, to a history of its own")
		up.git("checkout", "-q", "--orphan", "other")
		up.git("rm", "-q", "-rf", ".")
		up.commit("unrelated", "c", "c")
		up.git("branch", "-q", "-f", "main", "other")
		unrelated := fetch(t, c, at(o, source.Ref{Branch: "main"}))
		require.Equal(t, "unrelated", unrelated.Subject)
		require.NoError(t, fstest.TestFS(unrelated.FS, "c"))

		t.Log("a tag that is moved")
		up.git("tag", "-f", "stable", "other")
		require.Equal(t, unrelated.Commit, fetch(t, c, at(o, source.Ref{Tag: "stable"})).Commit)

		t.Log("a branch that is deleted")
		up.git("branch", "-q", "-D", "main")
		_, err := c.Fetch(context.Background(), at(o, source.Ref{Branch: "main"}))
		require.ErrorIs(t, err, source.ErrRefNotFound)

		t.Log("and the first snapshot is still what it was")
		require.Equal(t, "1", read(t, old, "a"))
		require.NoError(t, fstest.TestFS(old.FS, "a", "same/b"))
	})
}

func TestEmptyRepository(t *testing.T) {
	everywhere(t, func(t *testing.T, up *upstream, o source.Options) {
		for _, ref := range []source.Ref{{}, {Branch: "main"}, {SemVer: "*"}} {
			_, err := newCache(t).Fetch(context.Background(), at(o, ref))
			require.ErrorIs(t, err, source.ErrRefNotFound)
		}
	})
}

func TestDetachedHead(t *testing.T) {
	everywhere(t, func(t *testing.T, up *upstream, o source.Options) {
		first := up.commit("first", "a", "1")
		up.commit("second", "a", "2")
		up.git("checkout", "-q", "--detach", first)
		require.Equal(t, "HEAD@sha1:"+first, fetch(t, newCache(t), o).Revision)
	})
}

func TestLocalRepositories(t *testing.T) {
	up := newUpstream(t)
	commit := up.commit("first", "a", "1")
	bare := filepath.Join(t.TempDir(), "bare.git")
	up.git("clone", "-q", "--bare", up.dir, bare)
	linked := filepath.Join(t.TempDir(), "linked")
	up.git("worktree", "add", "-q", "-b", "side", linked)
	packed := filepath.Join(t.TempDir(), "packed.git")
	up.git("clone", "-q", "--bare", up.dir, packed)
	cmd := &upstream{t, packed}
	cmd.git("gc", "-q")
	cmd.git("pack-refs", "--all")
	borrowing := filepath.Join(t.TempDir(), "borrowing")
	up.git("clone", "-q", "--shared", up.dir, borrowing)
	for _, url := range []string{up.dir, up.dir + "/", bare, "file://" + bare, linked, packed, borrowing} {
		require.Equal(t, commit, fetch(t, newCache(t), source.Options{Insecure: true, URL: url}).Commit, url)
	}
}

func TestNotARepository(t *testing.T) {
	empty := t.TempDir()
	file := filepath.Join(empty, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, url := range []string{empty, filepath.Join(empty, "missing"), file, "file://" + empty} {
		_, err := newCache(t).Fetch(context.Background(), source.Options{Insecure: true, URL: url})
		require.ErrorIs(t, err, source.ErrNotRepository, url)
		require.Contains(t, err.Error(), url)
	}
}

func TestSHA256IsRefused(t *testing.T) {
	up := newUpstream(t)
	require.NoError(t, os.RemoveAll(filepath.Join(up.dir, ".git")))
	up.git("init", "-q", "-b", "main", "--object-format=sha256")
	up.git("commit", "-q", "--allow-empty", "-m", "first")
	for _, url := range []string{up.dir, serveHTTP(t, up, false).url()} {
		_, err := newCache(t).Fetch(context.Background(), source.Options{Insecure: true, URL: url})
		require.ErrorIs(t, err, source.ErrNotRepository)
		require.Regexp(t, "objectformat|SHA-256", err.Error())
	}
}

func TestInvalidOptions(t *testing.T) {
	hash := strings.Repeat("ab", 20)
	for name, o := range map[string]source.Options{
		"no URL":              {},
		"not an URL":          {URL: "https://user:pa%%ss@host/x"},
		"slash in password":   {URL: "https://user:sec/ret@host/x"},
		"no host":             {URL: "https:///x"},
		"git protocol":        {URL: "git://host/x"},
		"another machine":     {URL: "file://host/x"},
		"tag and semver":      {URL: "https://host/x", Ref: source.Ref{Tag: "a", SemVer: "1"}},
		"branch and tag":      {URL: "https://host/x", Ref: source.Ref{Tag: "a", Branch: "b"}},
		"tag and commit":      {URL: "https://host/x", Ref: source.Ref{Tag: "a", Commit: hash}},
		"short commit":        {URL: "https://host/x", Ref: source.Ref{Commit: "abc123"}},
		"no range":            {URL: "https://host/x", Ref: source.Ref{SemVer: "newest"}},
		"CA is not PEM":       {URL: "https://host/x", Auth: &source.Auth{CA: []byte("hello")}},
		"identity is not PEM": {URL: "ssh://host/x", Auth: &source.Auth{Identity: []byte("hello")}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newCache(t).Fetch(context.Background(), o)
			require.ErrorIs(t, err, source.ErrInvalid)
			for _, secret := range []string{"pa%%ss", "sec/ret", "sec"} {
				require.NotContains(t, err.Error(), secret)
			}
		})
	}
}
