package interpret

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/status/interpret/sandbox"
	"github.com/accord-dev/accord/status/kind"
)

// shippedFiles are ResourceInterpreterCustomizations of third-party kinds, one file for each API group.
//
//go:embed kinds/*.yaml
var shippedFiles embed.FS

// shippedGroups compiles the customizations of an API group when one of its kinds is first needed. It is only read.
var shippedGroups = func() map[string]func() map[schema.GroupKind]kind.Kind {
	library := sync.OnceValue(newLibrary)
	entries, err := shippedFiles.ReadDir("kinds")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	groups := map[string]func() map[schema.GroupKind]kind.Kind{}
	for _, entry := range entries {
		name := entry.Name()
		groups[strings.TrimSuffix(name, ".yaml")] = sync.OnceValue(func() map[schema.GroupKind]kind.Kind { return load(name, library()) })
	}
	return groups
}()

// Of returns the built-in rules of a kind: those of status/kind, and over them those of the customizations that accord
// ships. A Book puts the users' own over them.
func Of(gk schema.GroupKind) kind.Kind {
	if group, ok := shippedGroups[gk.Group]; ok {
		if k, ok := group()[gk]; ok {
			return k
		}
	}
	return kind.Of(gk)
}

// Kinds returns all kinds that have built-in rules, sorted.
func Kinds() []schema.GroupKind {
	all := kind.Kinds()
	for _, group := range shippedGroups {
		for gk := range group() {
			all = append(all, gk)
		}
	}
	slices.SortFunc(all, func(a, b schema.GroupKind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.Compact(all)
}

// load compiles a file of customizations, a single one or a List. It panics at a mistake: the file is part of the program.
func load(name string, lib *sandbox.Library) map[schema.GroupKind]kind.Kind {
	customizations, err := decode(name)
	if err != nil {
		panic(fmt.Sprintf("kinds/%s: %v", name, err))
	}
	b := &Book{pages: map[schema.GroupKind]*page{}}
	for i := range customizations {
		for _, err := range b.customize(&customizations[i], lib) {
			panic(fmt.Sprintf("kinds/%s: %v", name, err))
		}
	}
	kinds := map[schema.GroupKind]kind.Kind{}
	for gk, p := range b.pages {
		p.reuse()
		k := p.over(kind.Of(gk))
		k.Reflect = ofStatus(k.Reflect)
		kinds[gk] = k
	}
	return kinds
}

// ofStatus returns a Reflect that keeps nothing of an object without a status.
func ofStatus(reflect func(*unstructured.Unstructured) map[string]any) func(*unstructured.Unstructured) map[string]any {
	if reflect == nil {
		return nil
	}
	return func(u *unstructured.Unstructured) map[string]any {
		if _, ok := u.Object["status"].(map[string]any); !ok {
			return nil
		}
		return reflect(u)
	}
}

// decode reads the customizations of a file. YAML anchors work across the items of a List.
func decode(name string) ([]policy.Customization, error) {
	text, err := shippedFiles.ReadFile("kinds/" + name)
	if err != nil {
		return nil, err
	}
	type object struct {
		Metadata struct{ Name string }
		Spec     policy.CustomizationSpec
	}
	var file struct {
		object
		Kind  string
		Items []object
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	if file.Kind != "List" {
		file.Items = []object{file.object}
	}
	var all []policy.Customization
	for _, o := range file.Items {
		meta := policy.Meta{Name: o.Metadata.Name, Origin: manifest.Origin{Path: "kinds/" + name}}
		all = append(all, policy.Customization{Meta: meta, Spec: o.Spec})
	}
	return all, nil
}

// reuse keeps the states of the scripts between calls: shipped scripts assign to no global.
func (p *page) reuse() {
	for _, s := range p.scripts {
		s.lua = s.lua.Reuse()
	}
	for _, s := range p.dependencies {
		s.lua = s.lua.Reuse()
	}
}
