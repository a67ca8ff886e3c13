package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

// plan decides and renders everything. Without a declared Cluster there is nothing to place anything on, so what
// depends on the fleet is not judged.
func (r *lintReport) plan(in propagate.Input) {
	p, err := propagate.New(in)
	if err != nil {
		r.addMistakes(err)
		return
	}
	r.Planned = true
	r.addFindings(slices.DeleteFunc(slices.Clone(p.Findings), func(f propagate.Finding) bool {
		return len(in.Fleet) == 0 && f.Code == propagate.UnknownCluster
	}))
	r.addFailures(p)
	if len(in.Fleet) == 0 {
		return
	}
	for _, d := range p.Decisions {
		if d.Why != "" {
			r.Nowhere++
			r.addFindings([]propagate.Finding{{
				At: d.Origin, Severity: propagate.Note, Code: codeNowhere, Message: d.ID.String() + " goes to no cluster: " + d.Why,
			}})
		}
	}
}

// addFailures renders everything; the same failure on thirty clusters is one.
func (r *lintReport) addFailures(p *propagate.Plan) {
	seen := map[string]bool{}
	for _, cluster := range p.Clusters() {
		for _, f := range p.For(cluster).Failed {
			if text := f.ID.String() + " " + f.Err.Error(); !seen[text] {
				seen[text] = true
				r.addFindings([]propagate.Finding{failure(cluster, f)})
			}
		}
	}
}

// failure is about the policy that cannot be followed if the error says so, else about the object.
func failure(cluster string, f propagate.Failure) propagate.Finding {
	found := propagate.Finding{At: f.Origin, Severity: propagate.Error, Code: codeUnrendered, Message: fmt.Sprintf("%s on %s: %v", f.ID, cluster, f.Err)}
	if mistake, ok := errors.AsType[*manifest.Error](f.Err); ok {
		found.At, found.Message = mistake.Origin, fmt.Sprintf("%s on %s: %s", f.ID, cluster, mistake.Message)
	}
	return found
}
