package source_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/source"
)

// BenchmarkFetch is 600 manifests of 1 KiB: nothing new, one file changed, and
// everything new, from a path and by HTTP (git's own backend as the server, a
// process for each request, is part of it).
func BenchmarkFetch(b *testing.B) {
	up := newUpstream(b)
	for i := range 600 {
		up.write(fmt.Sprintf("apps/%d/%d.yaml", i%20, i), fmt.Sprintf("name: app-%d\n", i)+strings.Repeat("# some manifest\n", 64))
	}
	up.commit("first")
	for name, url := range map[string]string{"path": up.dir, "http": serveHTTP(b, up, false).url()} {
		o := source.Options{URL: url}
		b.Run(name+"/unchanged", func(b *testing.B) {
			c := openGit(b, b.TempDir())
			fetch(b, c, o)
			for b.Loop() {
				fetch(b, c, o)
			}
		})
		b.Run(name+"/one-file", func(b *testing.B) {
			c := openGit(b, b.TempDir())
			fetch(b, c, o)
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				up.commit("next", "apps/7/7.yaml", fmt.Sprint(b.Name(), i))
				b.StartTimer()
				fetch(b, c, o)
			}
		})
		b.Run(name+"/all", func(b *testing.B) {
			for b.Loop() {
				c, err := source.OpenGit(b.TempDir(), source.Policy{Local: true, Networks: egress.Everywhere()})
				require.NoError(b, err)
				_, err = c.Fetch(context.Background(), o)
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkPush fetches a commit that changes one of 6,000 files.
func BenchmarkPush(b *testing.B) {
	up := newUpstream(b)
	for i := range 6000 {
		up.write(fmt.Sprintf("apps/%d/%d.yaml", i%60, i), fmt.Sprintf("name: app-%d\n", i)+strings.Repeat("# some manifest\n", 64))
	}
	up.commit("first")
	c := openGit(b, b.TempDir())
	o := source.Options{URL: up.dir}
	fetch(b, c, o)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		up.commit("next", "apps/7/7.yaml", fmt.Sprint(b.Name(), i))
		b.StartTimer()
		fetch(b, c, o)
	}
}
