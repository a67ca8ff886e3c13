package apply

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

var (
	namespaceKind = schema.GroupKind{Kind: "Namespace"}
)

// delivery is the state of one Deliver.
type delivery struct {
	member     *clusters.Member // with accord's own account
	tenant     *clusters.Member // with the account of the Tenant
	place      string           // of the explanation of a denial
	federation string
	applySet   string
	want       propagate.ClusterPlan
	live       *live.Objects
	difference *live.Difference // between want and live; nil if it has to be computed
	options    Options

	previous *live.Inventory // of the last delivery
	begun    bool            // before, nothing may have been applied
	parent   *live.Inventory // the list of the parent on the member, once begun
	tasks    []*task
	requests atomic.Int64
	// strangers counts the observed objects that have the label and are not accord's.
	strangers int
	// purged are the old copies that evictions left, which were deleted before anything was applied.
	purged map[manifest.ID]bool

	mu      sync.Mutex // guards outcome while workers run
	outcome live.Outcome
}

// task is an object to apply.
type task struct {
	propagate.Placed
	// unseen: it is not among the owned objects that were observed. It may exist all the same.
	unseen bool
	// exists: it exists, owned or not.
	exists bool
	// adopt: it exists and accord takes it over.
	adopt bool
	// drift that the apply repairs; nil for none.
	drift *live.Drift
	// suspect is the version of an object with other values under accord's own field manager, 0 for none. If the apply leaves the
	// version, the member's admission sets these values, and nothing drifted.
	suspect uint64
	// done: it was applied already.
	done bool
	// rejected: it must not be applied.
	rejected bool
}

func newDelivery(m *clusters.Member, federation string, want propagate.ClusterPlan, objects *live.Objects, previous *live.Inventory, o Options) (*delivery, error) {
	tenant, err := m.As(o.Account.User())
	if err != nil {
		return nil, err
	}
	if o.Workers == nil {
		o.Workers = func() int { return MostWorkers }
	}
	o.Timeout = cmp.Or(o.Timeout, clusters.RequestTimeout)
	if objects == nil {
		objects = &live.Objects{}
	}
	return &delivery{
		member: m, tenant: tenant, place: " on cluster " + m.Name, federation: federation, applySet: applyset.ID(federation),
		want: want, live: objects, difference: o.Difference, previous: previous, options: o,
		outcome: live.Outcome{
			Orphaned: map[manifest.ID]string{}, Held: map[manifest.ID]string{},
			Errors: map[manifest.ID]error{}, Answers: map[manifest.ID]live.Answer{},
		},
	}, nil
}

// impersonates reports whether the account of the objects is that of a Tenant.
func (d *delivery) impersonates() bool { return d.tenant != d.member }

// differ compares what is wanted with what there is, unless that was done before.
func (d *delivery) differ() {
	if d.difference == nil {
		d.difference = d.live.Compare(d.want)
	}
}

// compare computes the tasks without a request. Those of urgent objects were computed before.
func (d *delivery) compare() {
	d.differ()
	urgent := d.tasks
	d.tasks = make([]*task, 0, len(d.difference.Due))
	for _, p := range d.difference.Due {
		if len(urgent) > 0 && urgent[0].ID == p.ID {
			d.tasks, urgent = append(d.tasks, urgent[0]), urgent[1:]
		} else if t := d.taskFor(p); t != nil {
			d.tasks = append(d.tasks, t)
		} else {
			d.outcome.NotRepaired = append(d.outcome.NotRepaired, p.ID)
		}
	}
	d.tasks = d.withoutIdle(d.tasks)
}

// taskFor returns the task for an object that is not as wanted; nil if it is not repaired now.
func (d *delivery) taskFor(p propagate.Placed) *task {
	seen, ok := d.live.Get(p.ID)
	if seen.IsStranger() && !d.previous.Has(p.ID) {
		ok = false
	}
	switch {
	case d.options.SkipRepair[p.ID] && (ok || d.previous.Has(p.ID)):
		return nil
	case ok && seen.Digest == p.Digest && seen.Intact && seen.Mutated && seen.DriftManager(p.Yields) == "":
		t := &task{Placed: p, exists: true} // the policy that mutated it may be gone
		if seen.Written == 0 {              // or somebody overwrote it before this process began
			t.drift, t.suspect = &live.Drift{ID: p.ID, Manager: v1alpha1.FieldManager, What: live.Changed}, seen.Version
		}
		return t
	case ok && seen.Digest == p.Digest && !seen.Intact && seen.ChangedFields == "":
		return &task{Placed: p, exists: true} // it was observed while another version was wanted, and not compared
	case ok && seen.Digest == p.Digest && seen.Overwritten:
		return &task{
			Placed: p, exists: true, suspect: seen.Version,
			drift: &live.Drift{ID: p.ID, Manager: seen.ChangedBy, What: live.Changed, Fields: seen.ChangedFields},
		}
	case ok && seen.Digest == p.Digest:
		return &task{Placed: p, exists: true, drift: &live.Drift{ID: p.ID, Manager: seen.DriftManager(p.Yields), What: live.Changed, Fields: seen.ChangedFields}}
	case ok && seen.Accepted.Digest == p.Digest: // it was as it should be, and somebody put something else in its place
		return &task{Placed: p, exists: true, drift: &live.Drift{ID: p.ID, Manager: seen.ChangedBy, What: live.Changed}}
	}
	return &task{Placed: p, unseen: !ok, exists: ok}
}

// withoutIdle drops namespaces that only exist for their objects, unless one of those is created: as long as the
// objects exist, so does the namespace, whatever its owner.
func (d *delivery) withoutIdle(tasks []*task) []*task {
	needed := map[string]bool{}
	for _, t := range tasks {
		if t.unseen {
			needed[t.ID.Namespace] = true
		}
	}
	var kept []*task
	for _, t := range tasks {
		if t.Implied && t.unseen && !needed[t.ID.Name] {
			d.outcome.Shared = append(d.outcome.Shared, t.ID)
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// objects returns the client for an object.
func (d *delivery) objects(gvk schema.GroupVersionKind, id manifest.ID) (metadata.ResourceInterface, error) {
	resource, err := d.resource(gvk, id)
	if err != nil {
		return nil, err
	}
	return d.tenant.Metadata.Resource(resource).Namespace(id.Namespace), nil
}

// resource returns the resource of an object.
func (d *delivery) resource(gvk schema.GroupVersionKind, id manifest.ID) (schema.GroupVersionResource, error) {
	mapping, err := d.member.Kinds.Mapping(gvk)
	if err != nil {
		return schema.GroupVersionResource{}, err
	}
	namespaced := mapping.Scope.Name() == "namespace"
	if namespaced != (id.Namespace != "") {
		scope := map[bool]string{true: "namespaced", false: "cluster-scoped"}
		return schema.GroupVersionResource{}, &live.Problem{Reason: live.Rejected, Err: fmt.Errorf("%s is %s on this cluster, and the object is %s", gvk.Kind, scope[namespaced], scope[!namespaced])}
	}
	return mapping.Resource, nil
}

// request counts and sends a request with a timeout. It explains a denial to the account of the Tenant.
func (d *delivery) request(ctx context.Context, f func(ctx context.Context) error) error {
	d.requests.Add(1)
	ctx, cancel := context.WithTimeout(ctx, d.options.Timeout)
	defer cancel()
	return explain(d.options.Account, d.place, f(ctx))
}

// fail records the problem of one object. It returns an error that is about the whole cluster, which ends the
// delivery.
func (d *delivery) fail(ctx context.Context, id manifest.ID, doing string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p := redact(id, problemOf(err))
	if p.Reason != live.Conflict && p.Reason != live.NoMatch {
		p = &live.Problem{Reason: p.Reason, Retry: p.Retry, Err: fmt.Errorf("%s: %w", doing, p.Err)}
	}
	d.mu.Lock()
	d.outcome.Errors[id] = p
	d.mu.Unlock()
	if clusters.Down(err) || cannotImpersonate(err) {
		return fmt.Errorf("cluster %s: %w", d.member.Name, err)
	}
	return nil
}

// note changes the outcome under its lock.
func (d *delivery) note(f func(o *live.Outcome)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f(&d.outcome)
}
