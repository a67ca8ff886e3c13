package lint

import (
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// plan decides, renders and reviews everything. Without a declared Cluster there is nothing to place anything on, so what
// depends on the fleet is not judged.
func (r *Report) plan(in propagate.Input) {
	p, err := propagate.New(in)
	if err != nil {
		r.AddMistakes(err)
		return
	}
	r.Planned = true
	r.addFindings(check.Run(in, p))
	if len(in.Fleet) == 0 {
		return
	}
	for i := range p.Decisions {
		if placedNowhere(&p.Decisions[i]) {
			r.Nowhere++
		}
	}
}

// placedNowhere says whether an object is given to no cluster. What configures the federation is not meant to be.
func placedNowhere(d *propagate.Decision) bool {
	configures := d.ID.Group == v1alpha1.GroupVersion.Group || strings.HasSuffix(d.ID.Group, ".karmada.io")
	return d.Why != "" && len(d.Chosen) == 0 && !configures
}
