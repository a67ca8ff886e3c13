package render

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/accord-dev/accord/internal/compact"
	"github.com/stretchr/testify/require"
)

// compared is a tree that does not change, and that knows its differences from another one.
type compared struct{ hashed }

func compare(tree fstest.MapFS) compared { return compared{hashed{maps.Clone(tree)}} }

func (c compared) Stat(name string) (fs.FileInfo, error) {
	info, err := c.MapFS.Stat(name)
	if err != nil {
		return nil, err
	}
	content := c.MapFS[name]
	if content != nil && content.Mode&fs.ModeSymlink != 0 {
		content = c.MapFS[path.Join(path.Dir(name), string(content.Data))]
	}
	return hashedInfo{info, content}, nil
}

func (c compared) Changes(since fs.FS) ([]string, bool) {
	before, is := since.(compared)
	if !is || c.links() || before.links() {
		return nil, false
	}
	was, now := before.entries(), c.entries()
	changed := map[string]bool{}
	for name, text := range now {
		if old, had := was[name]; !had || old != text {
			changed[name] = true
		}
	}
	for name := range was {
		if _, has := now[name]; !has {
			changed[name] = true
		}
	}
	return slices.Sorted(maps.Keys(changed)), true
}

func (c compared) links() bool {
	for _, file := range c.MapFS {
		if file.Mode&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// entries returns the content and mode of all files and directories.
func (c compared) entries() map[string]string {
	all := map[string]string{}
	for name, file := range c.MapFS {
		all[name] = fmt.Sprint(file.Mode, string(file.Data))
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			all[dir] = "directory"
		}
	}
	return all
}

// change makes a random change of a tree: of a file, a kustomization, a mode or a link.
func change(random *rand.Rand, tree fstest.MapFS) {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	dir := one("apps", "apps/eu", "apps/us", "apps/plain", "base", "more/apps", "apps/.hidden", "apps-old")
	n := random.IntN(4)
	text := settings(fmt.Sprint("c", random.IntN(60)), n)
	name := dir + "/" + one("a.yaml", "b.yml", "c.json", "notes.txt", "d.yaml")
	delete(tree, dir) // if it is a file
	switch random.IntN(16) {
	case 0, 1, 2, 3, 4:
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	case 5:
		tree[name] = &fstest.MapFile{Data: []byte(text + "---\n" + settings(fmt.Sprint("c", random.IntN(60)), n))}
	case 6, 7:
		delete(tree, name)
	case 8:
		for old := range tree {
			if path.Dir(old) == dir {
				delete(tree, old)
			}
		}
	case 9:
		if file := tree[name]; file != nil {
			delete(tree, name)
			tree[dir+"/moved.yaml"] = file
		}
	case 10:
		tree[dir+"/"+one("kustomization.yaml", "kustomization.yaml", "kustomization.yml")] = &fstest.MapFile{Data: []byte(one(
			"resources: [a.yaml]\n", "resources: [../../base]\nnamePrefix: "+one("x-", "y-")+"\n", "resources: [d.yaml, ../base]\nnameSuffix: -z\n",
			"configMapGenerator: [{name: made, files: [notes.txt]}]\n",
			"resources: [a.yaml]\nreplacements: [{source: {kind: ConfigMap}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.n]}]}]\n"))}
	case 11:
		delete(tree, dir+"/kustomization.yaml")
	case 12:
		delete(tree, dir+"/kustomization.yml")
	case 13:
		if file := tree[name]; file != nil {
			tree[name] = &fstest.MapFile{Data: file.Data, Mode: file.Mode ^ 0o111}
		}
	case 14:
		if random.IntN(3) == 0 {
			tree["apps/link.yaml"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("a.yaml")}
		} else {
			delete(tree, "apps/link.yaml")
		}
	case 15:
		tree[name] = &fstest.MapFile{Data: []byte(one("a: [", "kind: List\napiVersion: v1\nitems: []\n", "", text))}
	}
}

// requireEdits makes a list from the one before it and their differences, and returns how many objects it replaces.
func requireEdits(t *testing.T, before, after []Object, spans []Span) (replaced int) {
	t.Helper()
	var made []Object
	from := 0
	for _, x := range spans {
		made = append(made, before[from:x.At]...)
		made = append(made, after[len(made):len(made)+x.In]...)
		from, replaced = x.At+x.Out, replaced+max(x.Out, x.In)
	}
	made = append(made, before[from:]...)
	require.Len(t, made, len(after))
	for i := range made {
		require.Same(t, after[i].Written, made[i].Written)
		require.Same(t, after[i].Manifest, made[i].Manifest)
	}
	return replaced
}

// TestNextIsBuild changes a tree at random. A build that looks at the changed files returns the same objects and errors as a build of
// everything, and counts the same. A ledger names the same file beyond a limit.
func TestNextIsBuild(t *testing.T) {
	builds, nexts, failed, exceeded, edited, replaced := 0, 0, 0, 0, 0, 0
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 2))
		tree, memory, recorded := fstest.MapFS{}, []*Cache{{}, NewCompactCache(&compact.Texts{})}[seed%2], &Cache{}
		for i := range 6 {
			tree[fmt.Sprintf("apps/plain/%d.yaml", i)] = &fstest.MapFile{Data: []byte(settings(fmt.Sprint("p", i), 0))}
		}
		tree["base/a.yaml"] = &fstest.MapFile{Data: []byte(settings("base", 0))}
		tree["base/kustomization.yaml"] = &fstest.MapFile{Data: []byte("resources: [a.yaml]\n")}
		tree["apps/eu/kustomization.yaml"] = &fstest.MapFile{Data: []byte("resources: [../../base]\nnameSuffix: -eu\n")}
		dir := []string{"", "", "apps"}[random.IntN(3)]
		var undo fstest.MapFS
		var last []Object
		for range 40 {
			if undo != nil && random.IntN(3) > 0 {
				tree = undo // mostly, an error is corrected
			}
			good := maps.Clone(tree)
			for range 1 + random.IntN(2) {
				change(random, tree)
			}
			ledger, wantLedger := NewLedger(), NewLedger()
			_, ledgerErr := recorded.Build(compare(tree), Options{Dir: dir, Budget: ledger})
			_, wantErr := Build(tree, Options{Dir: dir, Budget: wantLedger})
			require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(ledgerErr), "seed %d", seed)
			objects, bytes := random.IntN(40)+8, int64(random.IntN(6000)+1000)
			wantBudget, budget := NewBudget(objects, bytes), NewBudget(objects, bytes)
			if wantErr == nil {
				limit := wantLedger.Within(objects, bytes)
				require.Equal(t, limit, ledger.Within(objects, bytes), "seed %d", seed)
				if limit != nil && slices.ContainsFunc(ledger.added, func(a addition) bool { return a.each != nil }) {
					exceeded++
				}
			}
			want, wantErr := Build(tree, Options{Dir: dir, Budget: wantBudget})
			before := memory.result
			got, err := memory.Build(compare(tree), Options{Dir: dir, Budget: budget})
			builds++
			undo = nil
			if wantErr != nil {
				failed++
				undo = good
				require.EqualError(t, err, wantErr.Error(), "seed %d", seed)
				continue
			}
			require.NoError(t, err, "seed %d", seed)
			require.Equal(t, want, whole(got), "seed %d", seed)
			require.Equal(t, *wantBudget, *budget, "seed %d", seed)
			if before != nil && memory.result.ids != nil {
				nexts++
			}
			if spans, known := memory.TakeEdits().Between(last, got); known {
				edited++
				replaced += requireEdits(t, last, got, spans)
			}
			last = got
		}
	}
	t.Logf("%d builds, %d of changed files, %d failed, %d beyond a limit by the changed files, %d with known edits, which replace %d objects", builds, nexts, failed, exceeded, edited, replaced)
	require.Greater(t, edited, builds/5)
	require.Less(t, replaced, 2*edited)
	require.Greater(t, exceeded, builds/50)
	require.Greater(t, nexts, builds/5)
	require.Greater(t, failed, builds/20)
}
