package diff

import (
	"cmp"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
)

// document is one manifest of an input, of any kind.
type document struct {
	origin  manifest.Origin
	content any
	differs bool // from the other side, or exists on one side only
	policy  bool // a policy of any kind
}

// files records which manifests differ between the two inputs.
type files struct {
	before, after map[string]*document   // by kind and name
	starts        map[string][]*document // of after, by file, in the order of their lines
}

func newFiles(before, after propagate.Input) *files {
	f := &files{before: documents(before), after: documents(after), starts: map[string][]*document{}}
	for name, d := range f.after {
		was, there := f.before[name]
		d.differs = !there || !equalContent(was.content, d.content)
		if there {
			was.differs = d.differs
		}
		f.starts[fileOf(d.origin)] = append(f.starts[fileOf(d.origin)], d)
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

// policies returns how many policies differ, including those on one side only.
func (f *files) policies() int {
	n := 0
	for _, d := range f.after {
		if d.policy && d.differs {
			n++
		}
	}
	for name, d := range f.before {
		if d.policy && f.after[name] == nil {
			n++
		}
	}
	return n
}

// touched reports whether a place is in a manifest that differs. If its line is unknown, any manifest of the file
// counts.
func (f *files) touched(at manifest.Origin) bool {
	var in *document
	for _, d := range f.starts[fileOf(at)] {
		if at.Line == 0 && d.differs {
			return true
		}
		if d.origin.Line <= at.Line {
			in = d
		}
	}
	return in != nil && in.differs
}

// fileOf returns the source and path of a place, without the line.
func fileOf(at manifest.Origin) string {
	at.Line = 0
	return at.String()
}

// documents returns all manifests of an input by kind and name.
func documents(in propagate.Input) map[string]*document {
	all := map[string]*document{}
	add := func(name string, at manifest.Origin, content any) {
		all[name] = &document{origin: at, content: content}
	}
	for _, o := range in.Objects {
		add(o.ID().String(), o.Origin, o.Manifest.Get())
	}
	addPolicy := func(name string, at manifest.Origin, spec any) {
		all[name] = &document{origin: at, content: spec, policy: true}
	}
	for _, p := range in.Policies {
		addPolicy(p.Title(), p.Origin, p.Spec)
	}
	for _, o := range in.Overrides {
		addPolicy(o.Title(), o.Origin, o.Spec)
	}
	for _, t := range in.TaintPolicies {
		addPolicy(t.Title(), t.Origin, t.Spec)
	}
	for _, r := range in.Rollouts {
		addPolicy(r.Title(), r.Origin, r.Spec)
	}
	for _, r := range in.Rebalancers {
		add(r.Title(), r.Origin, r.Spec)
	}
	for _, c := range in.Customizations {
		add(c.Title(), c.Origin, c.Spec)
	}
	for _, c := range in.Fleet {
		spec, status := c.Declared()
		add("Cluster "+c.Name, c.Origin, []any{spec, status, policy.Meta{Labels: c.Labels}})
	}
	return all
}

func equalContent(a, b any) bool {
	x, ok := a.(*unstructured.Unstructured)
	y, too := b.(*unstructured.Unstructured)
	return ok && too && x == y || reflect.DeepEqual(a, b)
}
