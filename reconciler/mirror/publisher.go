package mirror

import (
	"context"
	"log/slog"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/mirrored"
	"github.com/accord-dev/accord/status"
)

// Publisher publishes the objects of Federations on the hub. A failure is reported and retried; it delays nothing else. The
// nil Publisher publishes nothing.
type Publisher struct {
	*Mirror
	registry *state.Registry
	// always holds for Federations without spec.mirror.
	always bool
	// declared lists all Federations of the hub, "<namespace>/<name>".
	declared func(context.Context) (map[string]bool, error)
	emit     func(changes.Event)
	log      *slog.Logger
	wake     chan struct{}

	mu sync.Mutex
	// again are Federations to publish again, or to remove because they are gone.
	again map[types.NamespacedName]bool
	// publishing serializes the publications of a Federation, so that an older plan never overwrites a newer one.
	publishing map[types.NamespacedName]*sync.Mutex
}

// PublisherOptions configure a Publisher.
type PublisherOptions struct {
	Registry *state.Registry
	// Always mirrors Federations without spec.mirror.
	Always bool
	// Declared lists all Federations of the hub, "<namespace>/<name>".
	Declared func(context.Context) (map[string]bool, error)
	// Update requests the status of an object again; it must not block.
	Update func(federation types.NamespacedName, id manifest.ID)
	Emit   func(changes.Event)
	Log    *slog.Logger
}

// NewPublisher returns a Publisher on the hub of cfg, and sends nothing yet.
func NewPublisher(cfg *rest.Config, o PublisherOptions) (*Publisher, error) {
	m, err := Connect(cfg, Options{Log: o.Log, RequestStatus: func(federation string, id manifest.ID) { o.Update(keyOf(federation), id) }})
	if err != nil {
		return nil, err
	}
	return &Publisher{
		Mirror: m, registry: o.Registry, always: o.Always, declared: o.Declared, emit: o.Emit, log: o.Log, wake: make(chan struct{}, 1),
		again: map[types.NamespacedName]bool{}, publishing: map[types.NamespacedName]*sync.Mutex{},
	}, nil
}

// Publish mirrors the active plan of a Federation. When it returns, no status on the hub reads as if a newer decision were
// carried out.
func (p *Publisher) Publish(ctx context.Context, f *state.Federation) {
	if p == nil {
		return
	}
	defer p.lock(f.Key())()
	plan, on, objects := f.Mirrored(p.always)
	if plan == nil {
		return
	}
	var templates []Template
	decisions := map[manifest.ID]string{}
	for _, o := range objects {
		d := o.Decision
		t := Template{ID: d.ID, GVK: d.GVK, Kind: plan.Kind(d.ID.GroupKind()), Manifest: o.Manifest, Digest: d.Template, Shares: shares(o.Shares)}
		decisions[d.ID] = t.Decision()
		templates = append(templates, t)
	}
	f.SetMirrorDecisions(decisions)
	problem := p.put(ctx, f.Key(), on, templates)
	if ctx.Err() == nil {
		p.setProblem(f, problem)
	}
}

// lock serializes the publications of a Federation. It returns the function that releases the lock.
func (p *Publisher) lock(federation types.NamespacedName) (unlock func()) {
	p.mu.Lock()
	l := p.publishing[federation]
	if l == nil {
		l = &sync.Mutex{}
		p.publishing[federation] = l
	}
	p.mu.Unlock()
	l.Lock()
	return l.Unlock
}

// shares returns the shares of all clusters. Clusters with the same object have one text: the Mirror keeps the texts.
func shares(all []mirrored.Share) []Share {
	out, texts := make([]Share, 0, len(all)), map[*propagate.Rendered][]byte{}
	for _, x := range all {
		s := Share{Cluster: x.Cluster, Digest: x.Digest, Held: x.Held}
		if x.Rendered != nil {
			text, known := texts[x.Rendered]
			if !known {
				text = x.Rendered.Body.Bytes()
				texts[x.Rendered] = text
			}
			s.Rendered = text
		}
		out = append(out, s)
	}
	return out
}

// put publishes templates. It returns the reason why it could not; empty if it could.
func (p *Publisher) put(ctx context.Context, key types.NamespacedName, on bool, templates []Template) (problem string) {
	shared := ""
	if on {
		var err error
		if shared, err = p.Shared(ctx); err != nil {
			return nothing + err.Error()
		} else if shared != "" {
			templates = nil
		}
	}
	figures, err := p.Mirror.Publish(ctx, key.String(), templates)
	switch {
	case shared != "":
		return nothing + shared
	case err != nil && on:
		return nothing + err.Error()
	case err != nil: // the Federation has no mirror, and accord may lack the permission to read mirrored objects
		p.log.Debug("cannot list mirrored objects", "federation", key, "error", err)
	default:
		p.log.Debug("mirrored", "federation", key, "published", figures.Published, "unserved", figures.Unserved, "skipped", figures.Skipped, "failed", figures.Failed)
	}
	return figures.problem()
}

// nothing begins the reason why no object of a Federation is mirrored.
const nothing = "nothing is mirrored: "

// setProblem records the reason why a Federation is not mirrored, emits an event about a new reason, and queues a retry.
func (p *Publisher) setProblem(f *state.Federation, problem string) {
	about, changed := f.SetMirrorProblem(problem)
	if problem == "" {
		return
	}
	p.mu.Lock()
	p.again[f.Key()] = true
	p.mu.Unlock()
	if changed {
		p.emit(changes.Event{About: about, Type: changes.Warning, Reason: "NotMirrored", Message: problem})
	}
}

// Report writes the status of a mirrored object. decision is empty for an object that is not mirrored.
func (p *Publisher) Report(ctx context.Context, f *state.Federation, id manifest.ID, decision string, cells []status.Cell) error {
	if p == nil || decision == "" {
		return nil
	}
	return p.WriteStatus(ctx, f.Key().String(), id, decision, cells)
}
