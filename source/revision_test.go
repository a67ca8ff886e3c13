package source_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source"
)

var hash = strings.Repeat("0123456789abcdef", 3)[:40]

func TestParseRevision(t *testing.T) {
	for _, test := range []struct{ revision, pointer string }{
		{"main@sha1:" + hash, "main"},
		{"main@sha1:" + strings.ToUpper(hash), "main"},
		{"feature/a@b@sha1:" + hash, "feature/a@b"},
		{"v1.4.0@sha1:" + hash, "v1.4.0"},
		{"sha1:" + hash, ""},
		{"main/" + hash, "main"},
		{"feature/x/" + hash, "feature/x"},
		{hash, ""},
	} {
		pointer, commit, err := source.ParseRevision(test.revision)
		require.NoError(t, err, test.revision)
		require.Equal(t, test.pointer, pointer)
		require.Equal(t, hash, commit)
	}
	for _, bad := range []string{"", "main", "main@sha1:", "main@sha1:" + hash[:39], "main@sha1:" + hash + "0", "@sha1:" + hash,
		"/" + hash, "main@sha256:" + hash + hash[:24], "main:" + hash, "mainsha1:" + hash, "g" + hash[1:]} {
		_, _, err := source.ParseRevision(bad)
		require.Error(t, err, bad)
	}
}

func TestSameCommit(t *testing.T) {
	other := strings.Repeat("ab", 20)
	require.True(t, source.SameCommit("main@sha1:"+hash, "v1@sha1:"+hash))
	require.True(t, source.SameCommit("main/"+hash, "sha1:"+strings.ToUpper(hash)))
	require.False(t, source.SameCommit("main@sha1:"+hash, "main@sha1:"+other))
	require.False(t, source.SameCommit("", ""))
	require.False(t, source.SameCommit("main", "main"))
}

func FuzzParseRevision(f *testing.F) {
	for _, seed := range []string{"main@sha1:" + hash, "sha1:" + hash, "main/" + hash, hash, "@sha1:", "a@sha1:b/" + hash, "sha1:sha1:" + hash} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pointer, commit, err := source.ParseRevision(s)
		if err != nil {
			require.Empty(t, pointer+commit)
			require.False(t, source.SameCommit(s, s))
			return
		}
		require.Len(t, commit, 40)
		require.Equal(t, strings.ToLower(commit), commit)
		require.True(t, strings.HasPrefix(s, pointer))
		require.True(t, source.SameCommit(s, "sha1:"+commit))

		written := pointer + "@sha1:" + commit
		if pointer == "" {
			written = "sha1:" + commit
		}
		again, same, err := source.ParseRevision(written)
		require.NoError(t, err)
		require.Equal(t, pointer, again)
		require.Equal(t, commit, same)
	})
}
