package render

import (
	"path"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/phrase"
)

// overlap collects the objects that several kustomizations of one build make, usually overlays of one base.
type overlap struct {
	first map[manifest.ID]string // the directory that builds each object
	pairs []pair
}

// pair is two directories that build the same objects.
type pair struct {
	first, second string
	object        manifest.ID // one of them
	more          int
}

// add returns the objects of a directory that no other has built.
func (o *overlap) add(dir string, objects []Object) []Object {
	fresh := make([]Object, 0, len(objects))
	for _, object := range objects {
		other, built := o.first[object.ID()]
		if !built || other == dir {
			o.first[object.ID()] = dir
			fresh = append(fresh, object)
			continue
		}
		o.count(other, dir, object.ID())
	}
	return fresh
}

func (o *overlap) count(first, second string, id manifest.ID) {
	for i, p := range o.pairs {
		if p.first == first && p.second == second {
			o.pairs[i].more++
			return
		}
	}
	o.pairs = append(o.pairs, pair{first, second, id, 0})
}

// errors returns one error for each pair of directories.
func (o *overlap) errors(b builder) []error {
	var all []error
	for _, p := range o.pairs {
		objects := p.object.String()
		if p.more > 0 {
			objects += " and " + phrase.Count(p.more, "other object")
		}
		at := path.Join(p.second, "kustomization.yaml")
		if names := b.kustomizations(p.second); len(names) > 0 {
			at = names[0]
		}
		all = append(all, b.file(at).Errorf(0, "%s and %s both build %s; read one of them: --path, or spec.sources[].path of the Federation",
			p.first, p.second, objects))
	}
	return all
}
