package state

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/render"
)

// mirrorState is the state of the mirror of a Federation on the hub.
type mirrorState struct {
	// manifests are those of the active plan.
	manifests map[manifest.ID]*unstructured.Unstructured
	// decisions identify the decision about each object that the mirror has.
	decisions map[manifest.ID]string
	// problem is the reason why nothing is mirrored; empty if nothing prevents it.
	problem string
}

// keep takes over the manifests of a plan that becomes active.
func (m *mirrorState) keep(objects []render.Object) {
	m.manifests = make(map[manifest.ID]*unstructured.Unstructured, len(objects))
	for _, o := range objects {
		m.manifests[o.ID()] = o.Manifest
	}
}

// Mirrored is one object that the mirror publishes.
type Mirrored struct {
	Decision *propagate.Decision
	Manifest *unstructured.Unstructured
	Shares   []MirroredShare
}

// MirroredShare is the version of an object that one decided cluster should run.
type MirroredShare struct {
	Cluster  string
	Digest   string
	Held     bool
	Rendered *propagate.Rendered // nil if it could not be rendered
}

// Mirrored returns the objects that the mirror publishes of the active plan; none if spec.mirror, or always where it is
// absent, turns mirroring off. plan is nil before the first plan: then the mirror stays as it is.
func (f *Federation) Mirrored(always bool) (plan *propagate.Plan, on bool, objects []Mirrored) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active.plan == nil {
		return nil, false, nil
	}
	on = always
	if wish := f.declared.object.Spec.Mirror; wish != nil {
		on = *wish
	}
	for i := range f.active.plan.Decisions {
		d := &f.active.plan.Decisions[i]
		source := f.mirror.manifests[d.ID]
		if !on || source == nil || !record.Has(d) {
			continue
		}
		objects = append(objects, Mirrored{Decision: d, Manifest: source, Shares: f.mirroredShares(d)})
	}
	return f.active.plan, on, objects
}

func (f *Federation) mirroredShares(d *propagate.Decision) []MirroredShare {
	shares := make([]MirroredShare, 0, len(d.Chosen))
	for _, c := range d.Chosen {
		w := f.clusters[c.Cluster].Wants.Of(d.ID).Decided()
		shares = append(shares, MirroredShare{Cluster: c.Cluster, Digest: w.Digest, Held: c.Held != "", Rendered: w.Object})
	}
	return shares
}

// SetMirrorDecisions records the decision about each object that the mirror has.
func (f *Federation) SetMirrorDecisions(decisions map[manifest.ID]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mirror.decisions = decisions
}

// SetMirrorProblem records why nothing is mirrored, empty if nothing prevents it. It returns a copy of the Federation,
// and whether the problem is new.
func (f *Federation) SetMirrorProblem(problem string) (about *v1alpha1.Federation, changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changed = f.mirror.problem != problem
	f.mirror.problem = problem
	return f.declared.object.DeepCopy(), changed
}

// mirrorFinding returns the finding that nothing is mirrored.
func (f *Federation) mirrorFinding() propagate.Finding {
	return propagate.Finding{
		At: manifest.Origin{Path: "Federation " + f.key.String()}, Severity: propagate.Warning, Code: "not-mirrored",
		Message: "nothing is mirrored: " + f.mirror.problem,
	}
}
