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
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", "next")
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
	random := rand.New(rand.NewPCG(3, 3))
	p := newPushes(t)
	for i := range 10 {
		p.write(fmt.Sprintf("apps/%d/a.yaml", i), settings(fmt.Sprint("a", i), 0))
	}
	p.write("base/kustomization.yaml", "resources: [a.yaml]\n")
	p.write("base/a.yaml", settings("base", 0))
	for _, overlay := range []string{"eu", "us"} {
		p.write("overlays/"+overlay+"/kustomization.yaml", "resources: [../../base]\nnameSuffix: -"+overlay+"\n")
	}
	builds, failed := &Builds{}, 0
	for n := range 80 {
		app := fmt.Sprintf("apps/%d", random.IntN(12))
		switch random.IntN(9) {
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
		got.Objects = slices.Clone(got.Objects)
		for i, o := range got.Objects { // in compact form
			got.Objects[i].Manifest = manifest.Whole(o.Manifest.Get())
		}
		got.Texts = nil
		require.Equal(t, want, got)
	}
	require.NotZero(t, failed)
	require.Less(t, failed, 60)
}

// BenchmarkPush reads a commit that changes one of 6,000 files with one object each.
func BenchmarkPush(b *testing.B) {
	p := newPushes(b)
	for i := range 6000 {
		p.write(fmt.Sprintf("apps/%d/%d.yaml", i%60, i), settings(fmt.Sprint("a", i), 0))
	}
	for i := range 10 {
		p.write(fmt.Sprintf("policies/%d.yaml", i), policyFor(fmt.Sprint("a", i)))
	}
	builds := &Builds{}
	read := func(c Checkout) {
		parts, err := c.Parts(builds, render.NewBudget(20_000, 64<<20))
		require.NoError(b, err)
		require.Len(b, parts.Objects, 6000)
	}
	read(p.push())
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		p.write("apps/7/7.yaml", settings("a7", i+1))
		checkout := p.push()
		b.StartTimer()
		read(checkout)
	}
}
