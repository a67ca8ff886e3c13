package sync

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/egress"
	"github.com/accord-dev/accord/propagate/decode"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/source"
)

// pushes is a repository with a checkout of each commit.
type pushes struct {
	t     testing.TB
	dir   string
	cache *source.Cache
}

func newPushes(t testing.TB) *pushes {
	cache, err := source.OpenGit(t.TempDir(), source.Policy{Local: true, Networks: egress.Everywhere()})
	require.NoError(t, err)
	p := &pushes{t, t.TempDir(), cache}
	p.git("init", "-q", "-b", "main")
	return p
}

func (p *pushes) git(args ...string) {
	cmd := exec.Command("git", append([]string{"-C", p.dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "maintenance.auto=false"}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(p.t, err, "%s", out)
}

func (p *pushes) write(name, text string) {
	name = filepath.Join(p.dir, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(name), 0o700))
	require.NoError(p.t, os.WriteFile(name, []byte(text), 0o600))
}

func (p *pushes) push() Checkout {
	p.commit()
	return p.checkout()
}

func (p *pushes) commit() {
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", "next")
}

func (p *pushes) checkout() Checkout {
	snapshot, err := p.cache.Fetch(context.Background(), source.Options{URL: p.dir})
	require.NoError(p.t, err)
	return Checkout{sources: []v1alpha1.Source{{Name: "shop"}}, snapshots: []source.Snapshot{snapshot}}
}

func settings(name string, n int) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: shop}\ndata: {n: \"%d\"}\n", name, n)
}

func policyFor(name string) string {
	return fmt.Sprintf("apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\nmetadata: {name: %s, namespace: shop}\nspec:\n"+
		"  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: %[1]s}]\n  placement: {clusterAffinity: {clusterNames: [a]}}\n", name)
}

// TestPushesAreReadWhole pushes random commits. The parts that are read with the builds of the commit before are those of the whole tree.
func TestPushesAreReadWhole(t *testing.T) {
	t.Run("kustomizations", func(t *testing.T) {
		require.Greater(t, readPushes(t, true), 10)
	})
	t.Run("files", func(t *testing.T) { require.Greater(t, readPushes(t, false), 10) })
}

// readPushes returns the number of commits whose parts say where the objects differ from those before.
func readPushes(t *testing.T, kustomizations bool) (edited int) {
	random := rand.New(rand.NewPCG(3, 3))
	p := newPushes(t)
	for i := range 10 {
		p.write(fmt.Sprintf("apps/%d/a.yaml", i), settings(fmt.Sprint("a", i), 0))
	}
	if kustomizations {
		p.write("base/kustomization.yaml", "resources: [a.yaml]\n")
	}
	p.write("base/a.yaml", settings("base", 0))
	overlays := []string{"eu", "us"}
	if !kustomizations {
		overlays = nil
	}
	for _, overlay := range overlays {
		p.write("overlays/"+overlay+"/kustomization.yaml", "resources: [../../base]\nnameSuffix: -"+overlay+"\n")
	}
	builds, failed := &Builds{}, 0
	var last []render.Object
	for n := range 80 {
		app := fmt.Sprintf("apps/%d", random.IntN(12))
		kinds := 9
		if !kustomizations {
			kinds = 6 // without the commits that have a mistake most of the time
		}
		switch random.IntN(kinds) {
		case 0, 1, 2:
			p.write(app+"/a.yaml", settings(fmt.Sprint("a", random.IntN(100)), n))
		case 3:
			p.write(app+"/policy.yaml", policyFor(fmt.Sprint("a", random.IntN(100))))
		case 4:
			require.NoError(t, os.RemoveAll(filepath.Join(p.dir, app)))
		case 5:
			p.write("base/a.yaml", settings("base", n))
		case 6:
			p.write("overlays/eu/kustomization.yaml", fmt.Sprintf("resources: [../../base]\nnamePrefix: p%d-\n", n))
		case 7:
			p.write(app+"/b.yaml", settings("twice", n))
		case 8:
			p.write(app+"/b.yaml", "a: [")
		}
		checkout := p.push()
		want, wantErr := checkout.Parts(nil, render.NewBudget(1000, 1<<20))
		got, err := checkout.Parts(builds, render.NewBudget(1000, 1<<20))
		if wantErr != nil {
			failed++
			require.EqualError(t, err, wantErr.Error())
			require.NoError(t, os.RemoveAll(filepath.Join(p.dir, "apps", fmt.Sprint(random.IntN(12)))))
			continue
		}
		require.NoError(t, err)
		if requireParts(t, want, got, last) {
			edited++
		}
		last = got.Objects
	}
	require.NotZero(t, failed)
	require.Less(t, failed, 60)
	return edited
}

// TestPushesToTwoSourcesAreReadWhole pushes random commits to one of two repositories. The parts that are read with the builds of the
// commits before are those of both trees, and say where the objects differ.
func TestPushesToTwoSourcesAreReadWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	both := []*pushes{newPushes(t), newPushes(t)}
	all := Checkout{sources: []v1alpha1.Source{{Name: "shop"}, {Name: "more"}}, snapshots: make([]source.Snapshot, 2)}
	for i, p := range both {
		if i == 0 {
			p.write("apps/0/a.yaml", settings("first", 0)) // the other one is empty in the beginning
		}
		all.snapshots[i] = p.push().snapshots[0]
	}
	builds, edited := &Builds{}, 0
	var last []render.Object
	for n := range 60 {
		i := random.IntN(2)
		app := fmt.Sprintf("apps/%d", random.IntN(6))
		switch random.IntN(5) {
		case 0, 1, 2:
			both[i].write(app+"/a.yaml", settings(fmt.Sprintf("a%d-%s", i, app[5:]), n))
		case 3:
			both[i].write(app+"/policy.yaml", policyFor(fmt.Sprintf("a%d-%s", i, app[5:])))
		case 4:
			require.NoError(t, os.RemoveAll(filepath.Join(both[i].dir, app)))
		}
		all.snapshots[i] = both[i].push().snapshots[0]
		want, err := all.Parts(nil, nil)
		require.NoError(t, err)
		got, err := all.Parts(builds, nil)
		require.NoError(t, err)
		if requireParts(t, want, got, last) {
			edited++
		}
		last = got.Objects
	}
	require.Greater(t, edited, 20)
}

// requireParts requires that the parts are those of a whole read. It reports whether they say where the objects differ from the last ones.
func requireParts(t *testing.T, whole, got decode.Parts, last []render.Object) bool {
	spans, known := got.Edits.Between(last, got.Objects)
	if known {
		requireEdited(t, last, got.Objects, spans)
	}
	got.Objects = slices.Clone(got.Objects)
	for i, o := range got.Objects { // in compact form
		got.Objects[i].Manifest = manifest.Whole(o.Manifest.Get())
	}
	got.Shared = render.Shared{}
	require.Equal(t, whole, got)
	return known
}

// requireEdited requires that the second list is the first one with these edits.
func requireEdited(t *testing.T, before, after []render.Object, spans []render.Span) {
	var made []render.Object
	was := 0
	for _, x := range spans {
		made, was = append(made, before[was:x.At]...), x.At+x.Out
		made = append(made, after[len(made):len(made)+x.In]...)
	}
	require.Equal(t, after, append(made, before[was:]...))
}

// BenchmarkPush fetches and reads a commit that changes one of many files with one object each.
func BenchmarkPush(b *testing.B) {
	for _, size := range []struct{ files, directories int }{{6000, 60}, {6000, 1}, {24000, 240}, {24000, 1}} {
		b.Run(fmt.Sprintf("%d in %d", size.files, size.directories), func(b *testing.B) {
			p := newPushes(b)
			for i := range size.files {
				p.write(fmt.Sprintf("apps/%d/%d.yaml", i%size.directories, i), settings(fmt.Sprint("a", i), 0))
			}
			for i := range 10 {
				p.write(fmt.Sprintf("policies/%d.yaml", i), policyFor(fmt.Sprint("a", i)))
			}
			builds := &Builds{}
			read := func() {
				parts, err := p.checkout().Parts(builds, render.NewBudget(50_000, 64<<20))
				require.NoError(b, err)
				require.Len(b, parts.Objects, size.files)
			}
			p.commit()
			read()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				p.write(fmt.Sprintf("apps/%d/7.yaml", 7%size.directories), settings("a7", i+1))
				p.commit()
				b.StartTimer()
				read()
			}
		})
	}
}
