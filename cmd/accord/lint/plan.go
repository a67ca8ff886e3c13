package lint

import (
	"strings"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// plan plans, renders and checks everything. Without a declared Cluster it does not report objects without a cluster.
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

// placedNowhere reports whether an object goes to no cluster, except objects that configure the federation.
func placedNowhere(d *propagate.Decision) bool {
	configures := d.ID.Group == v1alpha1.GroupVersion.Group || strings.HasSuffix(d.ID.Group, ".karmada.io")
	return d.Why != "" && len(d.Chosen) == 0 && !configures
}
