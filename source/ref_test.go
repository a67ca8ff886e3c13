package source_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/source"
)

func TestSemVerPicksTheHighest(t *testing.T) {
	up := newUpstream(t)
	up.commit("only", "a", "1")
	for _, tag := range strings.Fields(`v0.9.0 v1.0.0 v1.2.0 1.10.0 v1.9.0 v2.0.0 2.0.0 v3.0.0-rc.1 v3.0.0-rc.2
		v1.2.0+build v2024 nightly 9 v9.9 release-9.9.9`) {
		up.git("tag", tag)
	}
	for _, test := range []struct{ within, tag string }{
		{"*", "v2.0.0"},
		{">=1.0.0", "v2.0.0"},
		{"1.x", "1.10.0"},
		{"~1.2.0", "v1.2.0+build"},
		{"^1.9.0", "1.10.0"},
		{"<1.0.0", "v0.9.0"},
		{">=1.0.0 <1.10.0", "v1.9.0"},
		{"2.0.0", "v2.0.0"},
		{">=3.0.0-0", "v3.0.0-rc.2"},
		{"3.0.0-rc.1", "v3.0.0-rc.1"},
		{">=3.0.0", ""},
		{">=9", ""},
	} {
		s, err := newCache(t).Fetch(context.Background(), source.Options{URL: up.dir, Ref: source.Ref{SemVer: test.within}})
		if test.tag == "" {
			require.ErrorIs(t, err, source.ErrRefNotFound, test.within)
			require.Contains(t, err.Error(), `the highest version is "v3.0.0-rc.2"`)
			continue
		}
		require.NoError(t, err, test.within)
		require.Equal(t, test.tag+"@sha1:"+s.Commit, s.Revision, test.within)
	}
}

func TestMissingNamesAreGuessed(t *testing.T) {
	up := newUpstream(t)
	up.commit("only", "a", "1")
	for _, branch := range strings.Fields("develop feature/login release-1.2 staging x y") {
		up.git("branch", branch)
	}
	for _, test := range []struct{ asked, says string }{
		{"mian", `did you mean "main"?`},
		{"Main", `did you mean "main"?`},
		{"develope", `did you mean "develop"?`},
		{"feature/logni", `did you mean "feature/login"?`},
		{"release-1.3", `did you mean "release-1.2"?`},
		{"production", `the 7 branches include develop, feature/login, main, release-1.2, staging`},
	} {
		_, err := newCache(t).Fetch(context.Background(), source.Options{URL: up.dir, Ref: source.Ref{Branch: test.asked}})
		require.ErrorIs(t, err, source.ErrRefNotFound)
		require.Contains(t, err.Error(), test.says)
	}
}
