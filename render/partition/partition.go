// Package partition builds a large kustomization in parts, because kustomize compares every object with every other, several times.
//
// A part has some of the objects of all its files, with the kustomizations that change them. It also has every object that can
// influence one of its own: the targets of name references, the sources of replacements, the objects of one patch. The order and the
// IDs of the objects of the whole are computed here. A kustomization whose parts could differ from the whole is built as one.
package partition

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/accord-dev/accord/render/decode"
)

// MaxObjects is the most objects and kustomizations of one run of kustomize.
const MaxObjects = 5_000

// Kustomization is a directory with a kustomization, whose references package render has vetted.
type Kustomization struct {
	decode.File
	Dir          string
	Written      types.Kustomization // as kustomize reads it
	Entries      []Entry             // of resources
	Components   []*Kustomization
	Replacements []types.Replacement // inline, in files, and of plugins
}

// Entry is a reference in resources: a file or a directory.
type Entry struct {
	File string
	Dir  *Kustomization
}

// Tree is the files of all kustomizations.
type Tree struct {
	Memory  filesys.FileSystem
	Data    map[string][]byte            // content of the files in Memory
	Objects func(file string) []Manifest // of a resource file
}

// Manifest is an object of a resource file.
type Manifest struct {
	*unstructured.Unstructured
	Line int
}
