package source_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

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
		o := source.Options{URL: url, Insecure: true}
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

// BenchmarkPush fetches a commit that changes one of 6,000 files, and lists the changes: in directories of 100 files, and in a single
// directory; from a path, and by HTTP.
func BenchmarkPush(b *testing.B) {
	for shape, dirs := range map[string]int{"nested": 60, "flat": 1} {
		up := newUpstream(b)
		for i := range 6000 {
			up.write(fmt.Sprintf("apps/%d/%d.yaml", i%dirs, i), fmt.Sprintf("name: app-%d\n", i)+strings.Repeat("# some manifest\n", 64))
		}
		up.commit("first")
		up.git("repack", "-adq")
		for name, url := range map[string]string{"path": up.dir, "http": serveHTTP(b, up, false).url()} {
			b.Run(shape+"/"+name, func(b *testing.B) {
				c := openGit(b, b.TempDir())
				o := source.Options{URL: url, Insecure: true}
				before := fetch(b, c, o)
				b.ReportAllocs()
				var used time.Duration
				for i := 0; b.Loop(); i++ {
					b.StopTimer()
					up.commit("next", fmt.Sprintf("apps/%d/4027.yaml", 4027%dirs), fmt.Sprint(b.Name(), i))
					b.StartTimer()
					from := cpuTime(b)
					now := fetch(b, c, o)
					paths, known := now.FS.(differing).Changes(before.FS)
					require.True(b, known)
					require.Len(b, paths, 1)
					used += cpuTime(b) - from
					before = now
				}
				b.ReportMetric(float64(used.Microseconds())/float64(b.N), "cpu-µs/op")
			})
		}
	}
}

// cpuTime returns the CPU time of the process.
func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
