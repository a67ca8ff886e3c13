package reconciler

import (
	"context"

	"github.com/accord-dev/accord/status"
)

// admit puts a proposal in force, unless it is to be tried and a cluster refuses something of it: then nothing is written to
// any, and the Release says what is refused. It is not tried again. It says whether the proposal is in force.
func (o OnceOptions) admit(ctx context.Context, e *engine, f *federation, p *proposal) (bool, error) {
	if preflighted(&o.Federation) {
		f.introduced(p.plan.Clusters())
		found := e.preflight(ctx, f, p.plan, nil)
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if refused := found.refused(); len(refused) > 0 {
			return false, e.withhold(ctx, f, p, nil, &status.Preflight{Refused: refused})
		}
		f.passed(p, &status.Preflight{Passed: found.String()})
	}
	return true, e.enforce(ctx, f, p.basis, p.release, p.plan)
}

// introduced notes that nothing more will be heard of clusters by waiting: each was asked whether it answers, or is none that
// could be.
func (f *federation) introduced(clusters []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.preflights.waited = map[string]bool{}
	for _, c := range clusters {
		f.preflights.waited[c] = true
	}
}
