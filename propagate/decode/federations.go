package decode

import (
	"errors"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/control"
	"github.com/accord-dev/accord/propagate/dependency"
	"github.com/accord-dev/accord/render"
)

// WithFederations returns the parts with the Federations among the objects as declarations: the plan places them on no cluster. The
// error has every mistake in any of them, as a *manifest.Error with file and line.
func (p Parts) WithFederations() (Parts, error) {
	var objects, manifests []render.Object
	var all []v1alpha1.Federation
	var errs []error
	p.Federations = nil
	for i, o := range p.Objects {
		if !v1alpha1.IsFederation(o.ID()) {
			if objects != nil {
				objects = append(objects, o)
			}
			continue
		}
		if objects == nil {
			objects = append(make([]render.Object, 0, len(p.Objects)), p.Objects[:i]...)
		}
		f, err := v1alpha1.DecodeFederation(o.Manifest.Get(), o.Text, o.Origin)
		p.Federations, errs = append(p.Federations, control.Federation{Federation: f, Origin: o.Origin}), append(errs, err)
		manifests, all = append(manifests, o), append(all, f)
	}
	if objects != nil {
		p.Objects = objects
	}
	errs = append(errs, manifest.Duplicates(p.Federations, func(f control.Federation) (string, manifest.Origin) { return f.Title(), f.Origin })...)
	for _, cycle := range dependency.Cycles(all) {
		o := manifests[cycle.First]
		errs = append(errs, &manifest.Error{Origin: manifest.LinesOf(o.Text, o.Origin.Line).At(o.Origin, "spec.dependsOn"), Message: cycle.Message})
	}
	return p, errors.Join(errs...)
}
