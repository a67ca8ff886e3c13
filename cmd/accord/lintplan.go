package main

import (
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check"
)

// plan decides, renders and reviews everything. Without a declared Cluster there is nothing to place anything on, so what
// depends on the fleet is not judged.
func (r *lintReport) plan(in propagate.Input) {
	p, err := propagate.New(in)
	if err != nil {
		r.addMistakes(err)
		return
	}
	r.Planned = true
	r.addFindings(check.Run(in, p))
	if len(in.Fleet) == 0 {
		return
	}
	for _, d := range p.Decisions {
		if d.Why != "" {
			r.Nowhere++
		}
	}
}
