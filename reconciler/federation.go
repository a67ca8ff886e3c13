package reconciler

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
	"github.com/accord-dev/accord/status"
)

// federation is one Federation in memory: the plan in force, what was written to the ledger, and a leg per cluster.
type federation struct {
	key          types.NamespacedName
	fingerprints *fingerprint.Key

	// telling is held from judging a status to its answer from the ledger, so that an older judgement never overwrites a
	// newer one: of the Release, of the Federation, and of Deliveries. It is taken before mu.
	telling struct{ release, federation, deliveries sync.Mutex }

	planning planning

	mu sync.Mutex // guards all below
	// declaration is the Federation as it was declared last; its status is what was written last.
	declaration *v1alpha1.Federation
	// basis is what the plan in force was made from, and decided when; the zero value before the first plan.
	basis   basis
	decided time.Time
	plan    *propagate.Plan
	// finds are what clusters have that the ledger did not know of, by cluster.
	finds map[string]*find
	// findings are what a reviewer should know of it, worst first.
	findings []propagate.Finding
	// revision and allowPrune are those of the commit that the plan in force was made from.
	revision   string
	allowPrune bool
	// announced is false while a new plan is being written to the ledger: until that is done nothing is delivered.
	announced bool
	// starting is true as long, unless the plan is the one that the ledger knows: the Release says Progressing.
	starting bool
	// release is the newest Release: of the plan in force, or of a commit that could not be planned.
	release  *v1alpha1.Release
	untold   bool               // the status of release was not written yet
	releases []v1alpha1.Release // older ones, newest first
	objects  map[manifest.ID]*v1alpha1.FederatedObject
	proven   live.Proven // what clusters have and is found to be intact
	legs     map[string]*leg
	// inventory is the one that was read last.
	inventory *live.Inventory
	left      []*v1alpha1.Delivery // to clusters that left the fleet; still in the ledger

	// bulk: many objects are being delivered, since then.
	bulk      bool
	bulkSince time.Time
	// urgent are the few objects that were changed while a bulk is being delivered. The map is not changed, but replaced.
	urgent map[manifest.ID]bool
	// unwritten are those of objects that the ledger does not have yet: many that are new are written when they are
	// delivered, and not before.
	unwritten map[manifest.ID]bool

	mirroring mirroring
	builds    builds

	// waiting are the objects whose status waits for a cluster to be listed.
	waiting map[manifest.ID]bool

	staging  staging
	leadTime counts.LeadTime // of the newest Release
	news     federationNews  // that people were told
	looked   time.Time       // when the loop came by last

	evaluated   int64                    // generation of the Federation that was looked at last
	spec        *v1alpha1.FederationSpec // as it was then; nil before the first look
	suspendedAt int64                    // generation in which it was suspended last
	handledAt   string                   // the last value of the annotation that asks for a look now
	refused     error                    // why the newest commit could not be planned; nil if it could
	unread      string                   // why the sources could not be read the last time; empty if they could
	// proposed is the plan of the newest Release while it waits for approval, beside the one in force; approval is that of
	// the newest Release, nil where none is required.
	proposed *proposal
	approval *status.Approval
	// preflights are what is known of trying the plan of the newest Release.
	preflights preflights
}

// leg is one federation on one cluster.
type leg struct {
	cluster string
	// delivery as it was put last, with its status as it was judged last; untold says that this was not written yet.
	delivery *v1alpha1.Delivery
	untold   bool
	stale    bool // the ledger does not have the spec of delivery yet
	// order is what a replica that does not lead carries out, waits that it cannot, since then, and dispatched what it told.
	order      string
	waits      bool
	since      time.Time
	dispatched dispatched
	// heard is what the replica that holds the cluster reported last, with the objects of which no digest is told; found is
	// what it found there, once the plan in force knows it.
	heard   *v1alpha1.DeliveryReport
	found   []string
	target  propagate.ClusterPlan
	wants   wants
	live    live.Objects
	proven  live.Proven // of the federation: all legs have the same
	reports status.Reports
	errors  map[manifest.ID]string // of the last delivery of this plan
	run     status.Run
	// answers are what is kept of live objects for gates.
	answers map[manifest.ID]map[string]any
	// kinds that were listed, and listed whether those are all that are wanted: before that, missing means nothing.
	kinds  map[schema.GroupKind]bool
	listed bool
	// recalled: the cluster itself was asked what it has of the federation.
	recalled bool
	counts   counts.Delivery
	news     deliveryNews // that people were told
	absences absences     // of wanted objects
	// astray are the objects that were seen to be another than wanted while a delivery was under way, which may have been
	// past them.
	astray map[manifest.ID]bool
	fights fights // over objects, with others who change them
	// cancel ends the delivery under way, because a newer plan is in force; nil when there is none.
	cancel context.CancelFunc
}

// interpreted identifies the knowledge about kinds that was in force until now; before the first plan there was none.
func (f *federation) interpreted() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.plan == nil {
		return ""
	}
	_, id := f.plan.Interpreters()
	return id
}

// declared takes note of a Federation as it is declared now; false if it is another one of the same name.
func (f *federation) declared(fed *v1alpha1.Federation) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fed.UID != f.declaration.UID {
		return false
	}
	fed = fed.DeepCopy()
	fed.Status = f.declaration.Status
	f.declaration = fed
	return true
}

// sight is what the plan in force can see of the clusters.
func (f *federation) sight() sight {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.basis.sight
}

// end interrupts what is under way. Nothing is delivered or told after it.
func (f *federation) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.announced = false
	for _, l := range f.legs {
		l.end()
	}
}

// newFederation is one of which nothing is known. p stand for digests of its Secrets on the hub.
func newFederation(fed *v1alpha1.Federation, p *fingerprint.Key) *federation {
	return &federation{
		fingerprints: p, key: client.ObjectKeyFromObject(fed), declaration: fed.DeepCopy(),
		objects: map[manifest.ID]*v1alpha1.FederatedObject{}, legs: map[string]*leg{}, waiting: map[manifest.ID]bool{}, unwritten: map[manifest.ID]bool{}, proven: live.Proven{},
	}
}

// recall reads from the ledger what the process before this one knew of a federation.
func recall(ctx context.Context, l store.Store, fed *v1alpha1.Federation, p *fingerprint.Key) (*federation, error) {
	f := newFederation(fed, p)
	var objects v1alpha1.FederatedObjectList
	var deliveries v1alpha1.DeliveryList
	var releases v1alpha1.ReleaseList
	for _, list := range []client.ObjectList{&objects, &deliveries, &releases} {
		if err := l.List(ctx, list, fed.Namespace, fed.Name); err != nil {
			return nil, err
		}
	}
	for i := range objects.Items {
		f.objects[objects.Items[i].Spec.Template.ID()] = &objects.Items[i]
	}
	for i := range deliveries.Items {
		d := &deliveries.Items[i]
		f.legs[d.Spec.Cluster] = newLeg(d, f.proven)
	}
	slices.SortFunc(releases.Items, func(a, b v1alpha1.Release) int {
		return b.CreationTimestamp.Compare(a.CreationTimestamp.Time)
	})
	f.releases = releases.Items
	return f, nil
}

func newLeg(d *v1alpha1.Delivery, proven live.Proven) *leg {
	return &leg{
		cluster: d.Spec.Cluster, delivery: d, absences: absencesSince(d), proven: proven,
		wants: wants{}, errors: map[manifest.ID]string{},
	}
}

// clusters that the plan covers, or that still have something of it, sorted.
func (f *federation) clusters() []string { return slices.Sorted(maps.Keys(f.legs)) }

// cells of a leg: one for every object that was decided for the cluster. The caller holds f.mu.
func (f *federation) cells(l *leg, unreachable string) []status.Cell {
	cells := make([]status.Cell, 0, len(l.wants))
	for id, w := range l.wants.all() {
		if !w.decided().implied || l.errors[id] != "" {
			cells = append(cells, f.cell(l, id, w, unreachable))
		}
	}
	return cells
}

// cell is what is decided and known of one object on one cluster; w is what is wanted of it there. The caller holds f.mu.
func (f *federation) cell(l *leg, id manifest.ID, w want, unreachable string) status.Cell {
	w = w.decided()
	c := status.Cell{Object: id, Cluster: l.cluster, Want: f.fingerprints.Object(id, w.digest), Held: w.held, Error: w.err, Unreachable: unreachable}
	if c.Error == "" {
		c.Error = l.errors[id]
	}
	if c.Held == "" && f.declaration.Spec.Suspend {
		c.Held = "the federation is suspended"
	}
	if r, ok := l.reports.Get(id); ok {
		r.Digest = f.fingerprints.Object(id, r.Digest)
		c.Report = &r
	}
	return c
}

// unlist forgets what was seen of a cluster whose watches start anew.
func (f *federation) unlist(cluster string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.legs[cluster]; l != nil {
		l.kinds, l.listed = nil, false
		l.live.Clear()
		l.reports.Clear()
	}
}

// keeps says whether a record is one that is still told of.
func (f *federation) keeps(record client.Object) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch r := record.(type) {
	case *v1alpha1.FederatedObject:
		return f.objects[r.Spec.Template.ID()] != nil
	case *v1alpha1.Delivery:
		return f.legs[r.Spec.Cluster] != nil
	case *v1alpha1.Release:
		return f.release.Name == r.Name
	}
	return false
}

// owner makes the hub collect what belongs to a Federation that is deleted. There is none without a hub.
func (f *federation) owner() []metav1.OwnerReference {
	if f.declaration.UID == "" {
		return nil
	}
	return []metav1.OwnerReference{{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "Federation",
		Name: f.declaration.Name, UID: f.declaration.UID,
	}}
}

// releaseInput is what is known of the newest commit. The caller holds f.mu.
func (f *federation) releaseInput() status.ReleaseInput {
	in := status.ReleaseInput{Starting: f.starting, Suspended: f.declaration.Spec.Suspend}
	if f.refused != nil {
		in.Errors = strings.Split(f.refused.Error(), "\n") // one line each: errors.Join
		return in
	}
	plan, findings := f.plan, f.findings
	if f.proposed != nil {
		plan, findings = f.proposed.plan, f.proposed.findings
	}
	in.Approval, in.Preflight = f.approval, f.preflights.told
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		if !recordedDecision(d) {
			continue
		}
		in.Objects++
		switch line := d.ID.String() + ": " + d.Why; {
		case d.PlacementRetained:
			in.Retained = append(in.Retained, line)
		case d.Unplaced():
			in.Unplaced = append(in.Unplaced, line)
		}
	}
	for _, x := range findings {
		in.Warnings = append(in.Warnings, told(x))
	}
	if f.proposed != nil {
		in.Deliveries = f.proposedLegs(plan)
		return in
	}
	in.Rollouts = f.staging.told
	for _, c := range f.clusters() {
		if l := f.legs[c]; !l.idle() {
			in.Deliveries = append(in.Deliveries, status.NewDeliveryState(c, l.generation(), l.delivery.Status))
		}
	}
	f.hideUnwritten(in.Deliveries)
	return in
}

// generation of the delivery that is in force: where the ledger does not have it yet, no status can be about it.
func (l *leg) generation() int64 {
	if l.stale {
		return l.delivery.Generation + 1
	}
	return l.delivery.Generation
}

// idle says that nothing is decided for the cluster and nothing of the federation is there.
func (l *leg) idle() bool { return len(l.wants) == 0 && len(l.delivery.Status.Inventory) == 0 }
