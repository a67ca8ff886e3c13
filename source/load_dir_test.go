package source

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/memory"
	"github.com/stretchr/testify/require"
)

// written is a directory of a repository in memory: content by name, where a *written is a directory.
type written struct{ names map[string]node }

// editor edits directories at random.
type editor struct {
	*rand.Rand
	links bool // also symbolic links
}

type node struct {
	mode string // as in a tree object
	text string
	dir  *written
}

func store(t testing.TB, s *memory.Storage, kind plumbing.ObjectType, content []byte) plumbing.Hash {
	t.Helper()
	o := s.NewEncodedObject()
	o.SetType(kind)
	w, err := o.Writer()
	require.NoError(t, err)
	_, err = w.Write(content)
	require.NoError(t, err)
	hash, err := s.SetEncodedObject(o)
	require.NoError(t, err)
	return hash
}

// write writes a directory to the store. Git's order is that of paths, in which only directories have a slash at their end.
func (d *written) write(t testing.TB, s *memory.Storage, shuffled bool) plumbing.Hash {
	t.Helper()
	key := func(name string) string {
		if d.names[name].mode == "40000" {
			return name + "/"
		}
		return name
	}
	names := slices.SortedFunc(maps.Keys(d.names), func(a, b string) int { return strings.Compare(key(a), key(b)) })
	if shuffled {
		slices.Reverse(names)
	}
	var raw bytes.Buffer
	for _, name := range names {
		n := d.names[name]
		hash := plumbing.NewHash(fmt.Sprintf("%040x", len(n.text)+1)) // of a commit, if it is a submodule
		switch {
		case n.dir != nil:
			hash = n.dir.write(t, s, shuffled)
		case n.mode != "160000":
			hash = store(t, s, plumbing.BlobObject, []byte(n.text))
		}
		fmt.Fprintf(&raw, "%s %s\x00%s", n.mode, name, hash[:])
	}
	return store(t, s, plumbing.TreeObject, raw.Bytes())
}

func (d *written) commit(t testing.TB, s *memory.Storage, shuffled bool) plumbing.Hash {
	t.Helper()
	return store(t, s, plumbing.CommitObject, fmt.Appendf(nil,
		"tree %s\nauthor A <a@example.org> 1700000000 +0000\ncommitter A <a@example.org> 1700000000 +0000\n\nedit\n", d.write(t, s, shuffled)))
}

// edit makes one random change in a directory or below. Names are such that files and directories with the same beginning are far apart
// in Git's order.
func (random editor) edit(d *written, depth int) {
	names := slices.Sorted(maps.Keys(d.names))
	name := fmt.Sprintf("%s%d%s", []string{"a", "b", "c", "m"}[random.IntN(4)], random.IntN(90), []string{"", "", "-x", ".yaml", "0"}[random.IntN(5)])
	if len(names) > 0 && random.IntN(3) > 0 {
		name = names[random.IntN(len(names))]
	}
	old, had := d.names[name]
	text := fmt.Sprint(random.IntN(1000), strings.Repeat(".", random.IntN(200)))
	switch n := random.IntN(20); {
	case had && old.dir != nil && n < 10:
		random.edit(old.dir, depth+1)
	case n < 8:
		d.names[name] = node{mode: "100644", text: text}
	case n < 11:
		delete(d.names, name)
	case n < 12:
		d.names[name] = node{mode: "100755", text: old.text}
	case n < 13:
		d.names[name] = node{mode: "160000", text: text}
	case n < 14 && random.links && random.IntN(10) == 0:
		d.names[name] = node{mode: "120000", text: "a0"}
	case n < 16 && depth < 3:
		below := &written{map[string]node{}}
		for range random.IntN(8) {
			random.edit(below, depth+1)
		}
		d.names[name] = node{mode: "40000", dir: below}
	case had: // rename
		delete(d.names, name)
		d.names["r"+name] = old
	}
}

// flat returns everything that a directory has, by path.
func (d *dir) flat(t testing.TB, at string, into map[string]string) map[string]string {
	t.Helper()
	var before entry
	for e := range d.all() {
		require.True(t, before.name == "" || before.compare(e) < 0, "%s%s before %s", at, before.name, e.name)
		before = e
		found, has := d.find(e.name)
		require.True(t, has)
		require.Equal(t, e, found)
		switch {
		case e.dir != nil:
			into[at+e.name] = fmt.Sprint(e.mode, e.dir.hash, e.dir.submodule, e.dir.sum)
			e.dir.flat(t, at+e.name+"/", into)
		default:
			into[at+e.name] = fmt.Sprint(e.mode, e.file.hash, e.file.size, e.file.held, string(e.file.content))
		}
	}
	return into
}

// content returns the paths of flat with all that a change concerns: directories are equal if both exist.
func content(flat map[string]string) map[string]string {
	c := maps.Clone(flat)
	for name, is := range c {
		if strings.HasPrefix(is, "d") {
			c[name] = "d"
		}
	}
	return c
}

// TestSharedPartsAreTheWholeTree edits trees at random, and loads each commit after the commits before it and by itself.
func TestSharedPartsAreTheWholeTree(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 1))
	l := limits{file: 150, tree: 1 << 30}
	shared, made, unknown := 0, 0, 0
	for round := range 8 {
		s := memory.NewStorage()
		root := &written{map[string]node{}}
		edit := editor{random, round%4 == 3}
		for i := range 300 << (round % 2) {
			root.names[fmt.Sprintf("%c%d", "abcm"[i%4], i)] = node{mode: "100644", text: "first"}
		}
		for range 100 {
			edit.edit(root, 0)
		}
		var known []*commit
		for n := range 30 {
			shuffled := round == 6 && n%5 == 2
			hash := root.commit(t, s, shuffled)
			alone, err := newLoader(context.Background(), s, l, nil).load(hash)
			require.NoError(t, err)
			got, err := newLoader(context.Background(), s, l, known).load(hash)
			require.NoError(t, err)
			is := got.root.flat(t, "", map[string]string{})
			require.Equal(t, alone.root.flat(t, "", map[string]string{}), is)
			require.Equal(t, alone.root.sum.size, got.root.sum.size)
			require.Equal(t, alone.root.sum.largestSize, got.root.sum.largestSize)
			require.Equal(t, alone.root.sum.links, got.root.sum.links)
			if len(known) > 0 {
				before := known[len(known)-1]
				for _, p := range got.root.parts {
					if slices.Contains(before.root.parts, p) {
						shared++
					} else {
						made++
					}
				}
				was := content(before.root.flat(t, "", map[string]string{}))
				is := content(is)
				want := map[string]bool{}
				for _, names := range []map[string]string{was, is} {
					for name := range names {
						if was[name] != is[name] {
							want[name] = true
						}
					}
				}
				paths, known := tree{root: got.root}.Changes(tree{root: before.root})
				if known {
					slices.Sort(paths)
					require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Compact(paths))
				} else {
					unknown++
				}
			}
			known = append(known, got)
			if len(known) > 3 {
				known = known[1:]
			}
			for range random.IntN(4) {
				edit.edit(root, 0)
			}
		}
	}
	require.Greater(t, shared, 2*made)
	require.Less(t, unknown, 120)
}

// TestChangeOfOneFileReadsOnePart: the cost of a change does not depend on the size of the directory.
func TestChangeOfOneFileReadsOnePart(t *testing.T) {
	for name, change := range map[string]func(d *written){
		"changed": func(d *written) { d.names["f3000"] = node{mode: "100644", text: "changed"} },
		"added":   func(d *written) { d.names["f3000-b"] = node{mode: "100644", text: "added"} },
		"removed": func(d *written) { delete(d.names, "f3000") },
		"replaced by a directory": func(d *written) {
			d.names["f3000"] = node{mode: "40000", dir: &written{map[string]node{"a": {mode: "100644", text: "a"}}}}
		},
	} {
		s := memory.NewStorage()
		d := &written{map[string]node{}}
		for i := range 6000 {
			d.names[fmt.Sprintf("f%04d", i)] = node{mode: "100644", text: "same"}
		}
		l := limits{file: 100, tree: 1 << 30}
		before, err := newLoader(context.Background(), s, l, nil).load(d.commit(t, s, false))
		require.NoError(t, err)
		change(d)
		after, err := newLoader(context.Background(), s, l, []*commit{before}).load(d.commit(t, s, false))
		require.NoError(t, err)
		made := slices.DeleteFunc(slices.Clone(after.root.parts), func(p *part) bool { return slices.Contains(before.root.parts, p) })
		require.LessOrEqual(t, len(made), 2, name)
		require.NotEmpty(t, made, name)
		require.LessOrEqual(t, len(after.root.parts), len(before.root.parts)+1, name)
	}
}

// TestNameOfAFileAndADirectory: the two are not adjacent in a tree object.
func TestNameOfAFileAndADirectory(t *testing.T) {
	s := memory.NewStorage()
	blob := store(t, s, plumbing.BlobObject, []byte("x"))
	empty := store(t, s, plumbing.TreeObject, nil)
	commitOf := func(tree plumbing.Hash) plumbing.Hash {
		return store(t, s, plumbing.CommitObject, fmt.Appendf(nil, "tree %s\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n", tree))
	}
	write := func(file, dir bool) plumbing.Hash { // in Git's order
		var raw bytes.Buffer
		if file {
			fmt.Fprintf(&raw, "100644 n\x00%s", blob[:])
		}
		for i := range 200 {
			fmt.Fprintf(&raw, "100644 n-%03d\x00%s", i, blob[:])
		}
		if dir {
			fmt.Fprintf(&raw, "40000 n\x00%s", empty[:])
		}
		return commitOf(store(t, s, plumbing.TreeObject, raw.Bytes()))
	}
	l := limits{file: 100, tree: 1 << 20}
	for _, before := range [][2]bool{{false, false}, {true, false}, {false, true}} {
		known, err := newLoader(context.Background(), s, l, nil).load(write(before[0], before[1]))
		require.NoError(t, err)
		for _, commits := range [][]*commit{nil, {known}} {
			_, err = newLoader(context.Background(), s, l, commits).load(write(true, true))
			require.ErrorIs(t, err, errDamaged)
			require.ErrorContains(t, err, `holds "n" twice`)
		}
	}
}
