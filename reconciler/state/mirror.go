package state

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/reconciler/state/mirrored"
	"github.com/accord-dev/accord/reconciler/state/record"
)

// Mirrored returns the objects that the mirror publishes of the active plan; none if spec.mirror, or always where it is
// absent, turns mirroring off. plan is nil before the first plan: then the mirror stays as it is.
func (f *Federation) Mirrored(always bool) (plan *propagate.Plan, on bool, objects []mirrored.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan == nil {
		return nil, false, nil
	}
	on = always
	if wish := f.declared.object.Spec.Mirror; wish != nil {
		on = *wish
	}
	if !on {
		return f.active.plan, false, nil
	}
	for _, d := range f.active.plan.Decisions {
		if source := f.mirror.Manifest(d.ID); source != nil && record.Has(d) {
			objects = append(objects, mirrored.Object{Decision: d, Manifest: source, Shares: f.mirroredShares(d)})
		}
	}
	return f.active.plan, on, objects
}

func (f *Federation) mirroredShares(d *decision.Decision) []mirrored.Share {
	shares := make([]mirrored.Share, 0, len(d.Chosen))
	for _, c := range d.Chosen {
		w := f.clusters[c.Cluster].Wants.Of(d.ID).Decided()
		shares = append(shares, mirrored.Share{Cluster: c.Cluster, Digest: w.Digest, Held: c.Held != "", Rendered: w.Object})
	}
	return shares
}

// SetMirrorDecisions records the decision about each object that the mirror has.
func (f *Federation) SetMirrorDecisions(decisions map[manifest.ID]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mirror.Decisions = decisions
}

// SetMirrorProblem records why nothing is mirrored, empty if nothing prevents it. It returns a copy of the Federation,
// and whether the problem is new.
func (f *Federation) SetMirrorProblem(problem string) (about *v1alpha1.Federation, changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changed = f.mirror.Problem != problem
	f.mirror.Problem = problem
	return f.declared.object.DeepCopy(), changed
}

// mirrorFinding returns the finding that objects are not mirrored.
func (f *Federation) mirrorFinding() propagate.Finding {
	return propagate.Finding{
		At: manifest.Origin{Path: "Federation " + f.key.String()}, Severity: propagate.Warning, Code: "not-mirrored",
		Message: f.mirror.Problem,
	}
}
