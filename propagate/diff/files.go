package diff

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

// document is one manifest of an input, whatever it is about.
type document struct {
	origin  manifest.Origin
	content any
	differs bool // from the one on the other side, or there is none
}

// files know which manifests differ.
type files struct {
	before, after map[string]*document   // by what they are called
	starts        map[string][]*document // of after, by file, in the order in which they stand there
}

func newFiles(before, after propagate.Input) *files {
	f := &files{before: documents(before), after: documents(after), starts: map[string][]*document{}}
	for name, d := range f.after {
		was, there := f.before[name]
		d.differs = !there || !same(was.content, d.content)
		if there {
			was.differs = d.differs
		}
		f.starts[place(d.origin)] = append(f.starts[place(d.origin)], d)
	}
	for name, d := range f.before {
		if _, there := f.after[name]; !there {
			d.differs = true
		}
	}
	for _, all := range f.starts {
		slices.SortFunc(all, func(a, b *document) int { return cmp.Compare(a.origin.Line, b.origin.Line) })
	}
	return f
}

// changed are the files with a manifest that differs, sorted.
func (f *files) changed() []string {
	paths := map[string]bool{}
	for _, side := range []map[string]*document{f.before, f.after} {
		for _, d := range side {
			if path := place(d.origin); d.differs && path != "" {
				paths[path] = true
			}
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(paths))...)
}

// touched says that a place is in a manifest that differs. A file of which the lines are not known counts as a whole.
func (f *files) touched(at manifest.Origin) bool {
	var in *document
	for _, d := range f.starts[place(at)] {
		if at.Line == 0 && d.differs {
			return true
		}
		if d.origin.Line <= at.Line {
			in = d
		}
	}
	return in != nil && in.differs
}

// place is the file, with its source.
func place(at manifest.Origin) string {
	at.Line = 0
	return at.String()
}

// documents are all manifests of an input by what they are called.
func documents(in propagate.Input) map[string]*document {
	all := map[string]*document{}
	add := func(name string, at manifest.Origin, content any) {
		all[name] = &document{origin: at, content: content}
	}
	for _, o := range in.Objects {
		add(o.ID().String(), o.Origin, o.Manifest)
	}
	for i := range in.Policies {
		add(in.Policies[i].Title(), in.Policies[i].Origin, in.Policies[i].Spec)
	}
	for i := range in.Overrides {
		add(in.Overrides[i].Title(), in.Overrides[i].Origin, in.Overrides[i].Spec)
	}
	for i := range in.TaintPolicies {
		add(in.TaintPolicies[i].Title(), in.TaintPolicies[i].Origin, in.TaintPolicies[i].Spec)
	}
	for i := range in.Rebalancers {
		add(in.Rebalancers[i].Title(), in.Rebalancers[i].Origin, in.Rebalancers[i].Spec)
	}
	for i := range in.Customizations {
		add(in.Customizations[i].Title(), in.Customizations[i].Origin, in.Customizations[i].Spec)
	}
	for _, c := range in.Fleet {
		spec, status := c.Declared()
		add("Cluster "+c.Name, c.Origin, []any{spec, status, policy.Meta{Labels: c.Labels}})
	}
	return all
}

func same(a, b any) bool {
	x, ok := a.(*unstructured.Unstructured)
	y, too := b.(*unstructured.Unstructured)
	return ok && too && x == y || reflect.DeepEqual(a, b)
}
