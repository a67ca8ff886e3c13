package lint

import (
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
	"github.com/accord-dev/accord/propagate/decision"
)

// plan plans, renders and checks everything, and reports whether there is a plan. Without a declared Cluster it does not report
// objects without a cluster.
func (r *Report) plan(t *load.Tree) bool {
	in := t.Input
	p, err := propagate.New(in)
	if err != nil {
		r.AddMistakes(err)
		r.addFindings(t.Refusals(nil, false))
		return false
	}
	r.addFindings(t.Refusals(p, false))
	findings := check.Run(in, p)
	r.addFindings(findings)
	for _, f := range findings {
		if f.Code == check.NotActedOn && f.Severity == propagate.Warning {
			r.NotActedOn++
		}
	}
	if len(in.Fleet) == 0 {
		return true
	}
	for _, d := range p.Decisions {
		if placedNowhere(d) && !p.Unjudged(d) {
			r.Nowhere++
		}
	}
	return true
}

// placedNowhere reports whether an object goes to no cluster, except objects that configure the federation.
func placedNowhere(d *decision.Decision) bool {
	return d.Why != "" && len(d.Chosen) == 0 && !policy.Configures(d.ID.Group)
}
