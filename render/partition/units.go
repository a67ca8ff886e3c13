package partition

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/resid"

	"github.com/accord-dev/accord/render/decode"
)

// Unsplittable is the reason why a kustomization cannot be built in parts.
type Unsplittable struct{ reason string }

func (u *Unsplittable) Error() string { return u.reason }

func whole(format string, args ...any) error { return &Unsplittable{fmt.Sprintf(format, args...)} }

// unit is the smallest piece that a part has or lacks: a document of a resource file, or an entry of a generator.
type unit struct {
	file      string // of a document
	document  int    // in the file; -1 for the whole file
	objects   []Manifest
	size      int        // items
	order     int        // of its first item
	generator *generator // of an entry of a generator

	leader *unit // of the units that are always built together; nil for itself
	below  []*unit
	roots  map[*Kustomization]bool // kustomizations that change it
	groups []*group
}

// generator is an entry of configMapGenerator or secretGenerator.
type generator struct {
	id      resid.ResId
	dir     string
	sources types.KvPairSources
}

// first returns the unit that represents all units that are built together with u.
func (u *unit) first() *unit {
	for u.leader != nil {
		u = u.leader
	}
	return u
}

// join makes every part with one of the units have the other.
func join(a, b *unit) {
	a, b = a.first(), b.first()
	if a == b {
		return
	}
	b.leader = a
	a.below = append(append(a.below, b), b.below...)
}

// together returns u and all units that are always built with it.
func (u *unit) together() []*unit { return append([]*unit{u.first()}, u.first().below...) }

// group is units of which a part has all or none. words are those that a patch of them can write into name references.
type group struct {
	units []*unit
	words []string
}

// item is one object of the whole. A unit whose base is used twice has two.
type item struct {
	unit    *unit
	head    *item // the first of the same document or file
	current resid.ResId
	before  []resid.ResId

	prefixes, suffixes []string
}

func (i *item) is(id resid.ResId) bool {
	return i.current.Equals(id) || slices.ContainsFunc(i.before, id.Equals)
}

func (i *item) original() resid.ResId {
	if len(i.before) > 0 {
		return i.before[0]
	}
	return i.current
}

// remember works as StorePreviousId of kustomize.
func (i *item) remember() {
	gvk := resid.Gvk{Group: i.current.Group, Version: i.current.Version, Kind: i.current.Kind}
	i.before = append(i.before, resid.NewResIdWithNamespace(gvk, i.current.Name, i.current.EffectiveNamespace()))
}

// ID is a resid.ResId of which equal ones are Equals.
type ID struct{ group, version, kind, name, namespace string }

// IDOf returns the ID of a resource of kustomize.
func IDOf(id resid.ResId) ID {
	return ID{id.Group, id.Version, id.Kind, id.Name, id.EffectiveNamespace()}
}

// accumulation is the objects that kustomize has read for one kustomization.
type accumulation struct {
	items   []*item
	current map[ID]*item // nil after a change
	byName  map[string][]*item
}

// add appends items, with unsplittable if two have the same ID.
func (a *accumulation) add(items ...*item) error {
	if err := a.index(); err != nil {
		return err
	}
	a.byName = nil
	for _, i := range items {
		if a.current[IDOf(i.current)] != nil {
			return whole("it has %s twice", i.current)
		}
		a.current[IDOf(i.current)] = i
	}
	a.items = append(a.items, items...)
	return nil
}

func (a *accumulation) index() error {
	if a.current != nil {
		return nil
	}
	a.current = make(map[ID]*item, len(a.items))
	for _, i := range a.items {
		if a.current[IDOf(i.current)] != nil {
			return whole("it has %s twice", i.current)
		}
		a.current[IDOf(i.current)] = i
	}
	return nil
}

// named returns the items that have or had a name.
func (a *accumulation) named(name string) []*item {
	if a.byName == nil {
		a.byName = map[string][]*item{}
		for _, i := range a.items {
			for _, n := range i.names() {
				a.byName[n] = append(a.byName[n], i)
			}
		}
	}
	return a.byName[name]
}

// names returns all names that the item has or had, each once.
func (i *item) names() []string {
	names := []string{i.current.Name}
	for _, id := range i.before {
		if !slices.Contains(names, id.Name) {
			names = append(names, id.Name)
		}
	}
	return names
}

// matching returns the items that have or had an ID.
func (a *accumulation) matching(id resid.ResId) []*item {
	var found []*item
	for _, i := range a.named(id.Name) {
		if i.is(id) {
			found = append(found, i)
		}
	}
	return found
}

// change records a change of IDs.
func (a *accumulation) change() error {
	a.current, a.byName = nil, nil
	return a.index()
}

// splitter computes the units and items of a kustomization.
type splitter struct {
	Tree
	files   map[string][]*unit
	entries map[*Kustomization]*entries
	units   []*unit
	items   []*item
}

// entries are the entries of a kustomization that belong to units. A part with one of the units has the entry.
type entries struct {
	configMaps, secrets []*unit
	patches, merges     []*group // nil for one with a selector
	replicas            []*group
	sources             []*unit // of replacements
	words               map[string]bool
}

// split returns the units and items of a kustomization, or an *Unsplittable.
func (tree Tree) split(r *Kustomization) (*splitter, error) {
	s := &splitter{Tree: tree, files: map[string][]*unit{}, entries: map[*Kustomization]*entries{}}
	if r.Written.SortOptions != nil {
		return nil, whole("it has sortOptions")
	}
	all := &accumulation{}
	if err := s.accumulate(r, all); err != nil {
		return nil, err
	}
	s.items = all.items
	for n, i := range s.items {
		if i.unit.size++; i.unit.size == 1 {
			i.unit.order = n
		}
	}
	return s, nil
}

// accumulate works as accumulateTarget of kustomize, on IDs.
func (s *splitter) accumulate(r *Kustomization, all *accumulation) error {
	e := s.entries[r]
	if e == nil {
		e = &entries{words: map[string]bool{}}
		s.entries[r] = e
		if err := s.checkRoot(r, e); err != nil {
			return err
		}
		s.generators(r, e)
	}
	for _, used := range r.Entries {
		if err := s.resource(used, all); err != nil {
			return err
		}
	}
	for i, u := range e.configMaps {
		if err := s.generate(u, r.Written.ConfigMapGenerator[i].Behavior, all); err != nil {
			return err
		}
	}
	for i, u := range e.secrets {
		if err := s.generate(u, r.Written.SecretGenerator[i].Behavior, all); err != nil {
			return err
		}
	}
	for _, component := range r.Components {
		if err := s.accumulate(component, all); err != nil {
			return err
		}
	}
	if len(all.items) == 0 {
		return whole("%s has no objects", r.Origin.Path)
	}
	for _, i := range all.items {
		for _, u := range i.unit.together() {
			u.roots[r] = true
		}
	}
	return s.transform(r, e, all)
}

func (s *splitter) resource(used Entry, all *accumulation) error {
	if used.Dir != nil {
		below := &accumulation{}
		if err := s.accumulate(used.Dir, below); err != nil {
			return err
		}
		return all.add(below.items...)
	}
	for _, u := range s.documents(used.File) {
		if len(u.objects) == 0 {
			return whole("%s is empty", used.File)
		}
		var head *item
		for _, o := range u.objects {
			for key := range o.GetAnnotations() {
				if keepsBooks(key) {
					return whole("%s has an annotation of kustomize", used.File)
				}
			}
			gv := o.GroupVersionKind()
			id := resid.NewResIdWithNamespace(resid.NewGvk(gv.Group, gv.Version, gv.Kind), o.GetName(), o.GetNamespace())
			one := &item{unit: u, current: id, head: head}
			if head == nil {
				head, one.head = one, one
			}
			if err := all.add(one); err != nil {
				return err
			}
		}
	}
	return nil
}

// documents returns the units of a resource file: its documents, or the whole file if kustomize could read a part of
// the documents in another way or order.
func (s *splitter) documents(name string) []*unit {
	if units, known := s.files[name]; known {
		return units
	}
	objects, data := s.Objects(name), s.Data[name]
	documents := decode.Split(data)
	apart := len(objects) == len(documents) && len(documents) > 1 && !bytes.Contains(data, []byte("\n..."))
	for i, d := range documents {
		apart = apart && objects[i].Line == d.Line && !bytes.HasPrefix(d.Text, []byte("---")) && !bytes.HasPrefix(d.Text, []byte("%")) &&
			!strings.HasSuffix(objects[i].GetKind(), "List")
	}
	if !apart {
		s.files[name] = []*unit{{file: name, document: -1, objects: objects}}
	} else {
		for i := range documents {
			s.files[name] = append(s.files[name], &unit{file: name, document: i, objects: objects[i : i+1]})
		}
	}
	for _, u := range s.files[name] {
		u.roots = map[*Kustomization]bool{}
	}
	s.units = append(s.units, s.files[name]...)
	return s.files[name]
}

func (s *splitter) generators(r *Kustomization, e *entries) {
	add := func(kind string, args types.GeneratorArgs) *unit {
		id := resid.NewResIdWithNamespace(resid.NewGvk("", "v1", kind), args.Name, args.Namespace)
		u := &unit{generator: &generator{id, r.Dir, args.KvPairSources}, roots: map[*Kustomization]bool{}}
		s.units = append(s.units, u)
		return u
	}
	for _, args := range r.Written.ConfigMapGenerator {
		e.configMaps = append(e.configMaps, add("ConfigMap", args.GeneratorArgs))
	}
	for _, args := range r.Written.SecretGenerator {
		e.secrets = append(e.secrets, add("Secret", args.GeneratorArgs))
	}
}

// generate adds the object of a generator, or joins the generator with the object that it changes.
func (s *splitter) generate(u *unit, behavior string, all *accumulation) error {
	id := u.generator.id
	found := all.matching(id)
	switch behavior {
	case "merge", "replace":
		if len(found) != 1 {
			return whole("a generator changes %s, which it has %d times", id, len(found))
		}
		join(found[0].unit, u)
		return nil
	}
	if len(found) > 0 {
		return whole("it generates %s, which it has", id)
	}
	one := &item{unit: u, current: id}
	one.head = one
	return all.add(one)
}

// transform works as runTransformers of kustomize, on IDs.
func (s *splitter) transform(r *Kustomization, e *entries, all *accumulation) error {
	k := &r.Written
	if err := s.patches(r, e, all); err != nil {
		return err
	}
	if k.Namespace != "" {
		for _, i := range all.items {
			i.remember()
			if !i.current.IsClusterScoped() {
				i.current.Namespace = k.Namespace
			}
			if i.current.Kind == types.NamespaceKind && i.current.ApiVersion() == types.MetadataNamespaceApiVersion {
				i.current.Name = k.Namespace
			}
		}
		if err := all.change(); err != nil {
			return err
		}
	}
	for _, part := range []struct{ prefix, suffix string }{{k.NamePrefix, ""}, {"", k.NameSuffix}} {
		if part.prefix+part.suffix == "" {
			continue
		}
		for _, i := range all.items {
			if original := i.original(); original.Kind != "CustomResourceDefinition" && original.Kind != types.NamespaceKind &&
				!(original.Kind == "APIService" && original.Group == "apiregistration.k8s.io") {
				i.remember()
				i.current.Name = part.prefix + i.current.Name + part.suffix
				if part.prefix != "" {
					i.prefixes = append(i.prefixes, part.prefix)
				} else {
					i.suffixes = append(i.suffixes, part.suffix)
				}
			}
		}
		if err := all.change(); err != nil {
			return err
		}
	}
	for n, replicas := range k.Replicas {
		var units []*unit
		for _, i := range all.named(replicas.Name) {
			units = append(units, i.unit)
		}
		if len(units) == 0 {
			return whole("replicas name %s, which it does not have", replicas.Name)
		}
		e.replicas = grow(e.replicas, n, units, nil)
	}
	for _, replacement := range r.Replacements {
		if replacement.Source == nil {
			continue
		}
		for _, i := range all.items {
			if i.selectedBy(replacement.Source.ResId) && !slices.Contains(e.sources, i.unit) {
				e.sources = append(e.sources, i.unit)
			}
		}
	}
	return nil
}

// selectedBy reports whether a replacement could take the item as its source.
func (i *item) selectedBy(selector resid.ResId) bool {
	selector.Namespace = ""
	return i.current.IsSelectedBy(selector) || slices.ContainsFunc(i.before, func(id resid.ResId) bool { return id.IsSelectedBy(selector) })
}

// grow adds units and words to the group of an entry.
func grow(groups []*group, n int, units []*unit, words []string) []*group {
	for len(groups) <= n {
		groups = append(groups, nil)
	}
	if groups[n] == nil {
		groups[n] = &group{words: words}
	}
	for _, u := range units {
		if !slices.Contains(u.groups, groups[n]) {
			groups[n].units = append(groups[n].units, u)
			u.groups = append(u.groups, groups[n])
		}
	}
	return groups
}
