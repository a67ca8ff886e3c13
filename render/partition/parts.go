package partition

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/render/decode"
)

// Sizes decides about the division of a kustomization, in objects. A part ends at an object whose hash says so, or at the largest
// size: an object that is added or removed changes the part with it and leaves the others as they are.
type Sizes struct {
	Least    int // of a kustomization that is built in parts
	Smallest int // part
	Mean     int // of a part, above the smallest
	Largest  int // part, if no unit is larger
}

// UsualSizes cost the least CPU time: fewer objects to compare, or fewer kustomizations to read.
var UsualSizes = Sizes{Least: 200, Smallest: 24, Mean: 24, Largest: 96}

// part is one part of a kustomization.
type part struct {
	own   map[*unit]bool          // the objects that the whole takes from this part
	units map[*unit]bool          // own, and everything that can influence them
	roots map[*Kustomization]bool // kustomizations that change own
	files map[string][]byte
}

// parts divides the units. Each unit is the own of one part.
func (s *splitter) parts(sizes Sizes) ([]*part, error) {
	var firsts []*unit
	for _, u := range s.units {
		if u.leader == nil && u.size > 0 {
			firsts = append(firsts, u)
		}
	}
	slices.SortStableFunc(firsts, func(a, b *unit) int { return cmp.Compare(a.order, b.order) })
	refs := s.references()
	var parts []*part
	size := 0
	for _, u := range firsts {
		if len(parts) == 0 || size >= sizes.Smallest && u.hash()%uint32(sizes.Mean) == 0 || size > 0 && size+u.size > sizes.Largest {
			parts, size = append(parts, &part{own: map[*unit]bool{}, units: map[*unit]bool{}, roots: map[*Kustomization]bool{}, files: map[string][]byte{}}), 0
		}
		for _, t := range u.together() {
			parts[len(parts)-1].own[t] = true
			size += t.size
		}
	}
	if len(parts) < 2 {
		return nil, whole("its objects depend on each other")
	}
	work := 0
	for _, p := range parts {
		size := s.complete(p, refs)
		if work += size * size; size > MaxObjects || work > MaxObjects*MaxObjects {
			return nil, whole("too many of its objects refer to each other")
		}
	}
	return parts, nil
}

func (u *unit) hash() uint32 {
	h := fnv.New32a()
	if u.generator != nil {
		fmt.Fprintf(h, "%s %s", u.generator.dir, u.generator.id)
	} else {
		fmt.Fprintf(h, "%s %s", u.file, manifest.IDOf(u.objects[0].Unstructured))
	}
	return h.Sum32() >> 8
}

// complete adds everything to a part that can influence its own units, and returns its number of items.
func (s *splitter) complete(p *part, refs *references) int {
	size := 0
	var include func(*unit)
	include = func(u *unit) {
		for _, t := range u.together() {
			if p.units[t] {
				continue
			}
			p.units[t] = true
			size += t.size
			for _, g := range t.groups {
				for _, other := range g.units {
					include(other)
				}
			}
			for r := range t.roots {
				if !p.roots[r] {
					p.roots[r] = true
					for _, source := range s.entries[r].sources {
						include(source)
					}
				}
			}
		}
	}
	for u := range p.own {
		include(u)
	}
	for u := range p.own {
		refs.of(u, include)
	}
	return size
}

// write writes the kustomizations of a part, and the resource files of which it has some documents.
func (s *splitter) write(p *part) error {
	for r := range p.roots {
		k, e := r.Written, s.entries[r]
		k.Resources = nil
		for i, used := range r.Entries {
			switch {
			case used.Dir != nil && p.roots[used.Dir], used.Dir == nil && s.document(p, used.File):
				k.Resources = append(k.Resources, r.Written.Resources[i])
			}
		}
		k.Components = nil
		for i, component := range r.Components {
			if p.roots[component] {
				k.Components = append(k.Components, r.Written.Components[i])
			}
		}
		k.ConfigMapGenerator = keep(k.ConfigMapGenerator, func(i int) bool { return p.units[e.configMaps[i]] })
		k.SecretGenerator = keep(k.SecretGenerator, func(i int) bool { return p.units[e.secrets[i]] })
		k.Patches = keep(k.Patches, func(i int) bool { return p.has(e.patches, i) })
		k.PatchesStrategicMerge = keep(k.PatchesStrategicMerge, func(i int) bool { return p.has(e.merges, i) })
		if k.CommonLabels != nil { // which means the same, without a deprecation warning for each part
			k.Labels = append(slices.Clone(k.Labels), types.Label{Pairs: k.CommonLabels, IncludeSelectors: true})
			k.CommonLabels = nil
		}
		k.Replicas = keep(k.Replicas, func(i int) bool { return p.has(e.replicas, i) })
		text, err := json.Marshal(k)
		if err != nil {
			return err
		}
		p.files[path.Join(r.Dir, konfig.DefaultKustomizationFileName())] = text
	}
	return nil
}

// keep returns the items of a list that are to be kept; nil for none.
func keep[T any](list []T, has func(int) bool) []T {
	var kept []T
	for i := range list {
		if has(i) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// has reports whether the part has the objects of an entry. An entry without a group belongs to every part.
func (p *part) has(groups []*group, i int) bool {
	return i >= len(groups) || groups[i] == nil || p.units[groups[i].units[0]]
}

// document writes the documents of a resource file that the part has, and reports whether it has any.
func (s *splitter) document(p *part, name string) bool {
	units := s.files[name]
	some, all := false, true
	for _, u := range units {
		some, all = some || p.units[u], all && p.units[u]
	}
	if some && !all && p.files[name] == nil {
		var text bytes.Buffer
		for i, d := range decode.Split(s.Data[name]) {
			if p.units[units[i]] {
				text.WriteString("---\n")
				text.Write(d.Text)
				if !bytes.HasSuffix(d.Text, []byte("\n")) {
					text.WriteByte('\n')
				}
			}
		}
		p.files[name] = text.Bytes()
	}
	return some
}

// partFiles is the file system of a part. It records all reads.
type partFiles struct {
	filesys.FileSystem                   // of the whole
	files, data        map[string][]byte // data are those of the whole
	reads              map[string][]byte // nil for a file that does not exist
}

func (f *partFiles) ReadFile(name string) ([]byte, error) {
	data := f.find(name)
	f.reads[name] = data
	if data == nil {
		return f.FileSystem.ReadFile(name) // the error
	}
	return slices.Clone(data), nil
}

func (f *partFiles) find(name string) []byte {
	name = strings.TrimPrefix(name, "/")
	data, has := f.files[name]
	if !has {
		data, has = f.data[name]
	}
	if has && data == nil {
		return []byte{}
	}
	return data
}

// unchanged reports whether all reads have the same results again.
func (f *partFiles) unchanged(reads map[string][]byte) bool {
	for name, data := range reads {
		if now := f.find(name); (now == nil) != (data == nil) || !bytes.Equal(now, data) {
			return false
		}
	}
	return true
}

// Key identifies the kustomizations of a part.
type Key [sha256.Size]byte

// Result is the result of kustomize for a part.
type Result[T any] struct {
	reads   map[string][]byte
	ids     []ID
	objects []T
	err     error
}

// Builder builds kustomizations in parts. T is an object that kustomize built.
type Builder[T any] struct {
	Tree
	Sizes Sizes
	// Run runs kustomize for a directory. The error is one line.
	Run func(files filesys.FileSystem, dir string) ([]ID, []T, error)
	// Share is called with the objects of each part that no earlier build has.
	Share func([]T)
}

// Build builds r in parts, with an *Unsplittable if the result could differ from that of kustomize for the whole. known are the parts of
// an earlier build; of these it runs only those again whose files changed.
func (b Builder[T]) Build(r *Kustomization, known map[Key]*Result[T]) ([]T, map[Key]*Result[T], error) {
	s, err := b.split(r)
	if err != nil {
		return nil, nil, err
	}
	parts, err := s.parts(b.Sizes)
	if err != nil {
		return nil, nil, err
	}
	built, keys := make([]*Result[T], len(parts)), make([]Key, len(parts))
	var wait sync.WaitGroup
	turns := make(chan struct{}, maxParts)
	for n, p := range parts {
		if err := s.write(p); err != nil {
			return nil, nil, whole("%v", err)
		}
		files := &partFiles{FileSystem: b.Memory, files: p.files, data: b.Data, reads: map[string][]byte{}}
		keys[n] = p.key()
		if k := known[keys[n]]; k != nil && files.unchanged(k.reads) {
			built[n] = k
			continue
		}
		turns <- struct{}{}
		wait.Go(func() {
			defer func() { <-turns }()
			built[n] = &Result[T]{reads: files.reads}
			built[n].ids, built[n].objects, built[n].err = b.Run(files, r.Dir)
		})
	}
	wait.Wait()
	for n, k := range built {
		if known[keys[n]] != k { // earlier objects have readers
			b.Share(k.objects)
		}
	}
	objects, err := merge(s, parts, built)
	if err != nil {
		return nil, nil, err
	}
	all := make(map[Key]*Result[T], len(parts))
	for n, k := range built {
		all[keys[n]] = k
	}
	return objects, all, nil
}

// maxParts is the number of parts of a kustomization that are built at once.
const maxParts = 4

func (p *part) key() Key {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		fmt.Fprintf(h, "%d %s %d %s", len(name), name, len(p.files[name]), p.files[name])
	}
	return Key(h.Sum(nil))
}

// merge returns the objects of all parts in the order of the whole.
func merge[T any](s *splitter, parts []*part, built []*Result[T]) ([]T, error) {
	var failed error
	for _, b := range built {
		if b.err != nil && failed != nil && b.err.Error() != failed.Error() {
			return nil, whole("its parts have different errors")
		}
		failed = cmp.Or(failed, b.err)
	}
	if failed != nil && strings.Contains(failed.Error(), bookkeeping) {
		return nil, whole("an error quotes the annotations of kustomize")
	} else if failed != nil {
		return nil, failed
	}
	order, items := make(map[*item]int, len(s.items)), make(map[ID]*item, len(s.items))
	for n, i := range s.items {
		order[i], items[IDOf(i.current)] = n, i
	}
	type placed struct {
		at, n  int
		object T
	}
	all, seen := make([]placed, 0, len(s.items)), make(map[*item]bool, len(s.items))
	for n, b := range built {
		for m, o := range b.objects {
			id := b.ids[m]
			i := find(items, id)
			if i == nil || !parts[n].units[i.unit] {
				return nil, whole("kustomize changed the ID of an object to %v", id)
			}
			if !parts[n].own[i.unit] {
				continue
			}
			if seen[i] {
				return nil, whole("kustomize built %v twice", id)
			}
			seen[i] = true
			all = append(all, placed{order[i.head], m, o})
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.n, b.n)) })
	objects := make([]T, len(all))
	for n, p := range all {
		objects[n] = p.object
	}
	return objects, nil
}

// hashBytes is the length of the suffix that kustomize appends to the name of a generated object.
const hashBytes = len("-") + 10

// find returns the item of a built object. Generated objects may have a hash in their names.
func find(items map[ID]*item, key ID) *item {
	if i := items[key]; i != nil {
		return i
	}
	if len(key.name) <= hashBytes {
		return nil
	}
	key.name = key.name[:len(key.name)-hashBytes]
	i := items[key]
	if i != nil && slices.ContainsFunc(i.unit.together(), func(u *unit) bool { return u.generator != nil }) {
		return i
	}
	return nil
}
