package reconciler

import (
	"context"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/mirror"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status"
)

// mirrorer publishes federations on the hub. It harms nothing else: what goes wrong is told, and tried again.
type mirrorer struct {
	*mirror.Mirror
	engine *engine
	// always is for Federations that do not say whether they want to be mirrored.
	always bool
	// declared lists all Federations of the hub, "<namespace>/<name>".
	declared func(context.Context) (map[string]bool, error)
	news     chan struct{}

	mu sync.Mutex
	// again are federations to be published again, or to be removed since they are gone.
	again map[types.NamespacedName]bool
}

// mirroring is what a federation keeps of its mirror.
type mirroring struct {
	publishing sync.Mutex // held while it is published, so that an older plan never overwrites a newer one

	// Guarded by the federation's mutex: the manifests of the plan in force, what the mirror was told that is decided
	// about each, and why it is not mirrored.
	manifests map[manifest.ID]*unstructured.Unstructured
	decisions map[manifest.ID]string
	trouble   string
}

// newMirrorer connects to the hub; nothing is sent yet.
func newMirrorer(cfg *rest.Config, e *engine, always bool, declared func(context.Context) (map[string]bool, error)) (*mirrorer, error) {
	m := &mirrorer{engine: e, always: always, declared: declared, news: make(chan struct{}, 1), again: map[types.NamespacedName]bool{}}
	var err error
	m.Mirror, err = mirror.Connect(cfg, mirror.Options{Log: e.log, Retell: m.retell})
	return m, err
}

// retell has the status of an object looked at again.
func (m *mirrorer) retell(federation string, id manifest.ID) {
	m.engine.reporter.add(entry{federation: keyOf(federation), object: id}, objectPace)
}

// keep the manifests of a plan that is about to come into force.
func (f *federation) keep(objects []render.Object) {
	manifests := make(map[manifest.ID]*unstructured.Unstructured, len(objects))
	for _, o := range objects {
		manifests[o.ID()] = o.Manifest
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mirroring.manifests = manifests
}

// publish makes the mirror of a federation what its plan in force says. When it returns, nothing there claims to be done that
// the plan decided otherwise.
func (e *engine) publish(ctx context.Context, f *federation) {
	if e.mirror == nil {
		return
	}
	f.mirroring.publishing.Lock()
	defer f.mirroring.publishing.Unlock()
	on, templates, ok := e.mirror.templates(f)
	if !ok {
		return
	}
	trouble := e.mirror.put(ctx, f.key, on, templates)
	if ctx.Err() == nil {
		e.mirror.explain(f, trouble)
	}
}

// put publishes, and says why it could not.
func (m *mirrorer) put(ctx context.Context, key types.NamespacedName, on bool, templates []mirror.Template) (trouble string) {
	shared := ""
	if on {
		var err error
		if shared, err = m.Shared(ctx); err != nil {
			return err.Error()
		} else if shared != "" {
			templates = nil
		}
	}
	figures, err := m.Publish(ctx, key.String(), templates)
	switch {
	case shared != "":
		return shared
	case err != nil && on:
		return err.Error()
	case err != nil: // nobody asked for it, and it may not be allowed
		m.engine.log.Debug("cannot look for what is mirrored", "federation", key, "error", err)
	default:
		m.engine.log.Debug("mirrored", "federation", key, "published", figures.Published, "unserved", figures.Unserved, "left", figures.Left, "failed", figures.Failed)
	}
	return ""
}

// templates are what is to be mirrored of the plan in force; none if mirroring is off. Before the first plan ok is false:
// what was mirrored then stays as it is.
func (m *mirrorer) templates(f *federation) (on bool, templates []mirror.Template, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	on = m.always
	if wish := f.declaration.Spec.Mirror; wish != nil {
		on = *wish
	}
	if f.plan == nil {
		return false, nil, false
	}
	f.mirroring.decisions = map[manifest.ID]string{}
	for i := range f.plan.Decisions {
		d := &f.plan.Decisions[i]
		source := f.mirroring.manifests[d.ID]
		if !on || source == nil || !recordedDecision(d) {
			continue
		}
		t := mirror.Template{ID: d.ID, GVK: d.GVK, Kind: f.plan.Kind(d.ID.GroupKind()), Manifest: source, Digest: d.Template, Shares: f.shares(d)}
		f.mirroring.decisions[d.ID] = t.Decision()
		templates = append(templates, t)
	}
	return on, templates, true
}

// shares are what each decided cluster is to run. The caller holds f.mu.
func (f *federation) shares(d *propagate.Decision) []mirror.Share {
	shares := make([]mirror.Share, 0, len(d.Chosen))
	for _, c := range d.Chosen {
		w := f.legs[c.Cluster].wants.of(d.ID).decided()
		s := mirror.Share{Cluster: c.Cluster, Digest: w.digest, Held: c.Held != ""}
		if w.object != nil {
			s.Rendered = w.object.JSON
		}
		shares = append(shares, s)
	}
	return shares
}

// explain tells people why a federation is not mirrored, once, and has it tried again.
func (m *mirrorer) explain(f *federation, trouble string) {
	f.mu.Lock()
	told := f.mirroring.trouble == trouble
	f.mirroring.trouble = trouble
	f.findings = slices.DeleteFunc(slices.Clone(f.findings), func(x propagate.Finding) bool { return x.Code == notMirrored })
	if trouble != "" {
		f.findings = append(f.findings, propagate.Finding{
			At: manifest.Origin{Path: "Federation " + f.key.String()}, Severity: propagate.Warning, Code: notMirrored,
			Message: "nothing is mirrored: " + trouble,
		})
	}
	about := f.declaration.DeepCopy()
	f.mu.Unlock()
	if trouble == "" {
		return
	}
	m.mu.Lock()
	m.again[f.key] = true
	m.mu.Unlock()
	if !told {
		m.engine.event(about, corev1.EventTypeWarning, "NotMirrored", trouble)
	}
}

// notMirrored is the code of the finding that says so.
const notMirrored = "not-mirrored"

// mirrored brings the status of a mirrored object up to date.
func (e *engine) mirrored(ctx context.Context, f *federation, id manifest.ID, decision string, cells []status.Cell) error {
	if e.mirror == nil || decision == "" {
		return nil
	}
	return e.mirror.Tell(ctx, f.key.String(), id, decision, cells)
}
