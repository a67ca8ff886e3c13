package reconciler

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply"
	"github.com/accord-dev/accord/status"
	"github.com/accord-dev/accord/status/kind"
)

// Of clusters that other replicas hold, the leader knows what they report.

// handoverGrace is how long nothing is said of a cluster after another replica took it, or this one began to lead: the
// one that holds it now has to connect and to look first.
const handoverGrace = lostGrace

// hearsay is what another replica says of whether its cluster answers.
type hearsay struct {
	replica string
	reach   v1alpha1.ReportedReach
	at      time.Time // when it was said
}

// takeIn takes note of what the replica that holds a cluster reports of it.
func (e *engine) takeIn(r *v1alpha1.DeliveryReport) {
	f := e.federation(types.NamespacedName{Namespace: r.Namespace, Name: r.Federation})
	if f == nil || e.follows() || e.bulkhead(r.Cluster) != nil || r.Replica == e.share.replica || e.share.holders.Owner(r.Cluster) != r.Replica {
		return
	}
	turned := e.hear(r)
	f.mu.Lock()
	l := f.legs[r.Cluster]
	if l == nil {
		f.mu.Unlock()
		return
	}
	r.Run.Inventory = f.sharing(r.Run.Inventory)
	touched := l.takeIn(r)
	if f.foundElsewhere(l, r) {
		e.replan(f.key)
	}
	e.reporter.objectsOn(f, maps.Keys(touched), slices.Values([]string{r.Cluster}))
	e.reporter.heed(f, l)
	f.mu.Unlock()
	if turned {
		e.reached(r.Cluster)
	}
}

// hear notes whether a cluster answers the replica that holds it; it says whether that is news.
func (e *engine) hear(r *v1alpha1.DeliveryReport) (turned bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, known := e.hearsay[r.Cluster]
	e.hearsay[r.Cluster] = hearsay{r.Replica, r.Reach, time.Now()}
	return !known || before.replica != r.Replica || before.reach.Unreachable != r.Reach.Unreachable
}

// heardOf is what was said last of a cluster that this replica is not connected to. While it passes from one replica to
// another, that is what the one before said; known is false when nobody has said anything that counts.
func (e *engine) heardOf(cluster string) (said hearsay, known bool) {
	owner, passing := e.share.holders.Owner(cluster), e.share.passing() > 0
	e.mu.Lock()
	defer e.mu.Unlock()
	said, known = e.hearsay[cluster]
	return said, known && (passing || said.replica == owner)
}

// passing is how long clusters may still be on their way from one replica to another.
func (s *share) passing() time.Duration {
	if s.holders == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return handoverGrace - time.Since(s.changed)
}

// expected says that a replica is about to say something of a cluster for the first time; then how long that may take.
func (e *engine) expected(cluster string) time.Duration {
	passing := e.share.passing()
	if passing <= 0 || e.bulkhead(cluster) != nil {
		return 0
	}
	if _, known := e.heardOf(cluster); known {
		return 0
	}
	return passing
}

// reachElsewhere is whether a cluster that this replica is not connected to answers the one that holds it.
func (e *engine) reachElsewhere(cluster string) (unreachable string, last time.Time) {
	if e.share.holders == nil {
		return "not connected", time.Time{}
	}
	said, known := e.heardOf(cluster)
	switch {
	case !known:
		return e.share.asProbed(cluster)
	case said.reach.Unreachable == "":
		return "", said.at
	case said.reach.HeardAt == nil:
		return said.reach.Unreachable, time.Time{}
	}
	return said.reach.Unreachable, said.reach.HeardAt.Time
}

// asProbed is whether a cluster of which nothing was delivered yet answers, as the replica that holds it says in the status of
// the Cluster.
func (s *share) asProbed(cluster string) (unreachable string, last time.Time) {
	c := &v1alpha1.Cluster{}
	err := s.hub.Get(context.Background(), types.NamespacedName{Name: cluster}, c) // from the cache
	heard := c.Status.LastHeardAt
	switch ready := meta.FindStatusCondition(c.Status.Conditions, fluxmeta.ReadyCondition); {
	case err != nil || ready == nil || ready.Status == metav1.ConditionUnknown || heard == nil || time.Since(heard.Time) > staleWord:
		return notHeardYet, time.Time{}
	case ready.Status == metav1.ConditionFalse:
		return ready.Message, heard.Time
	}
	return "", heard.Time
}

// staleWord is how old what a replica says of a cluster may be: while it answers, that is said anew every heardInterval.
const staleWord = 2*heardInterval + handoverGrace

// silenceElsewhere is how it is that such a cluster is not heard from.
func (e *engine) silenceElsewhere(cluster string) status.Silence {
	if e.share.holders == nil {
		return status.Silence{}
	}
	said, _ := e.heardOf(cluster)
	s := status.Silence{Reason: said.reach.Reason}
	if said.reach.OpenSince != nil && said.reach.Retry != nil {
		s.Since, s.Retry = said.reach.OpenSince.Time, said.reach.Retry.Duration
	}
	return s
}

// takeIn makes a leg what a report says of live objects; it returns those of which that is news. What the report says of an
// order is kept until that is the one in force.
func (l *leg) takeIn(r *v1alpha1.DeliveryReport) map[manifest.ID]bool {
	kept := *r
	kept.Objects = map[string]v1alpha1.ReportedObject{}
	touched := map[manifest.ID]bool{}
	there := make(map[manifest.ID]bool, len(r.Objects))
	for entry, o := range r.Objects {
		id, err := manifest.ParseEntry(entry)
		if err != nil {
			continue // of another version of accord
		}
		there[id] = true
		if id.IsSecret() {
			kept.Objects[entry] = o
		}
		if l.see(id, o) {
			touched[id] = true
		}
	}
	for id := range l.live.All() {
		if !there[id] {
			l.live.Delete(id)
			l.reports.Delete(id)
			delete(l.answers, id)
			touched[id] = true
		}
	}
	l.heard = &kept
	if l.stale || r.Order != orderOf(l.delivery) { // else it is taken over as it is
		l.delivery.Status.Inventory = union(l.delivery.Status.Inventory, r.Run.Inventory)
	}
	return touched
}

// heed takes over what a report says of the order in force, as soon as it is the one that is reported of. The caller holds f.mu.
func (r *reporter) heed(f *federation, l *leg) {
	if l.heard == nil || l.stale || l.heard.Order != orderOf(l.delivery) {
		return
	}
	touched, listed := l.heed(), l.listed
	if l.heard.Listed {
		l.list(l.wantedKinds())
	}
	for id := range touched {
		r.add(entry{federation: f.key, object: id}, 0)
	}
	if l.listed && !listed {
		r.objectsOn(f, maps.Keys(f.waiting), slices.Values([]string{l.cluster}))
		clear(f.waiting)
	}
	r.engine.endBulk(f)
}

// heed returns the objects of which there is news in what is reported of an order.
func (l *leg) heed() map[manifest.ID]bool {
	touched := map[manifest.ID]bool{}
	for entry, o := range l.heard.Objects {
		id, _ := manifest.ParseEntry(entry) // as it was read before
		digest := ""
		if o.Digest == v1alpha1.DigestWanted {
			digest = l.wants.of(id).digest
		}
		if seen, _ := l.live.Get(id); seen.Digest != digest {
			report, _ := l.reports.Get(id)
			seen.Digest, report.Digest = digest, digest
			l.live.Put(id, seen)
			l.reports.Put(id, report)
			touched[id] = true
		}
	}
	run := l.heard.Run
	errors := map[manifest.ID]string{}
	for entry, message := range run.Errors {
		if id, err := manifest.ParseEntry(entry); err == nil {
			errors[id] = message
		}
	}
	for id, message := range errors {
		if l.errors[id] != message {
			touched[id] = true
		}
	}
	for id := range l.errors {
		if _, still := errors[id]; !still {
			touched[id] = true
		}
	}
	l.errors = errors
	l.run = status.Run{
		Started: run.Started, Finished: run.Finished, Error: run.Error, Braked: run.Braked,
		Drift: run.Drift, Fights: run.Fights, Inventory: orEmpty(run.Inventory), Orphaned: orEmpty(run.Orphaned),
	}
	if x := l.found; x != nil {
		l.run.Inventory = x
	}
	l.news.final = run.Final
	return touched
}

// wantedKinds are those of which the replica that holds the cluster says that it listed them.
func (l *leg) wantedKinds() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, p := range l.target.Objects {
		kinds = append(kinds, p.GVK)
	}
	return kinds
}

// see takes note of one object as it was reported; it says whether that is news. The digest of a Secret is not reported: it
// is what it was.
func (l *leg) see(id manifest.ID, o v1alpha1.ReportedObject) (news bool) {
	digest := o.Digest
	if id.IsSecret() {
		before, _ := l.live.Get(id)
		digest = before.Digest
	}
	seen := apply.Seen{
		GVK: schema.GroupVersionKind{Group: id.Group, Version: o.Version, Kind: id.Kind}, Digest: digest,
		Labels: o.Labels, Preserve: o.Preserve, Adopted: o.Adopted,
	}
	report := status.Report{
		Digest: digest, Generation: o.Generation, ObservedGeneration: o.ObservedGeneration, Observes: o.Observes,
		Health: kind.Health(o.Health), Message: o.Message, Status: status.Reflect(mapOf(o.Status)),
	}
	before, known := l.reports.Get(id)
	news = !known || o.Answers != nil || before != report
	l.live.Put(id, seen)
	l.reports.Put(id, report)
	l.answer(id, mapOf(o.Answers))
	return news
}

// foundElsewhere takes note of what a cluster has that nothing on the hub told of; it says whether the plan in force has to
// be made again with it. When it was, the replica that holds the cluster learns so from the inventory of the Delivery. The
// caller holds f.mu.
func (f *federation) foundElsewhere(l *leg, r *v1alpha1.DeliveryReport) (replan bool) {
	x := f.finds[l.cluster]
	l.found = nil
	if len(r.Found) == 0 {
		if x != nil && x.told && x.since != f.plan {
			delete(f.finds, l.cluster) // what is there from now on stands in the ledger
		}
		return false
	}
	if x == nil {
		x = &find{}
		for _, o := range r.Found {
			if id, err := manifest.ParseEntry(o.Object); err == nil {
				x.objects = append(x.objects, apply.Recalled{ID: id, Replicas: o.Replicas, Completions: o.Completions})
			}
		}
		if f.finds == nil {
			f.finds = map[string]*find{}
		}
		f.finds[l.cluster] = x
	}
	if !x.told || x.since == f.plan {
		return true
	}
	l.found = apply.Entries(x.objects)
	return false
}

// mapOf is nil for nothing.
func mapOf(raw *apiextensionsv1.JSON) map[string]any {
	if raw == nil {
		return nil
	}
	var m map[string]any
	if json.Unmarshal(raw.Raw, &m) != nil {
		return nil // the hub has checked that it is an object
	}
	return m
}

// reportsOf a federation, as they stand on the hub; none where one replica holds everything.
func (e *engine) reportsOf(ctx context.Context, f *federation) ([]v1alpha1.DeliveryReport, error) {
	if e.share.holders == nil {
		return nil, nil
	}
	var all v1alpha1.DeliveryReportList
	err := e.ledger.List(ctx, &all, f.key.Namespace, f.key.Name)
	return all.Items, err
}

// retake reads again what was reported of a federation, because another replica holds a cluster.
func (e *engine) retake(ctx context.Context, f *federation) error {
	reports, err := e.reportsOf(ctx, f)
	for i := range reports {
		e.takeIn(&reports[i])
	}
	return err
}

// inherit takes over what replicas that held clusters wrote down before they put it there: it may not stand in a Delivery yet.
func (f *federation) inherit(reports []v1alpha1.DeliveryReport) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range reports {
		if l := f.legs[reports[i].Cluster]; l != nil {
			l.delivery.Status.Inventory = union(l.delivery.Status.Inventory, reports[i].Run.Inventory)
		}
	}
}

// inherit is what has to be known of a cluster before this replica delivers there: what the one that held it wrote down.
func (e *engine) inherit(ctx context.Context, cluster string) error {
	if e.share.holders == nil || e.follows() { // who carries out an order reads it with the order
		return nil
	}
	for _, f := range e.all() {
		var all v1alpha1.DeliveryReportList
		err := e.share.reader.List(ctx, &all, client.InNamespace(f.key.Namespace),
			client.MatchingLabels{v1alpha1.FederationLabel: f.key.Name, v1alpha1.ClusterLabel: cluster})
		if err != nil {
			return fmt.Errorf("reading what was delivered to cluster %s before: %w", cluster, err)
		}
		f.inherit(all.Items)
	}
	return nil
}

// reportStore takes in reports as they come. Nothing is kept of one but what is judged.
type reportStore struct{ engine *engine }

// Add is cache.ReflectorStore's.
func (s reportStore) Add(obj any) error {
	if r, ok := obj.(*v1alpha1.DeliveryReport); ok {
		s.engine.takeIn(r)
	}
	return nil
}

// Update is Add.
func (s reportStore) Update(obj any) error { return s.Add(obj) }

// Delete does nothing: what was reported stays what was known last, until the replica that holds the cluster says more.
func (s reportStore) Delete(any) error { return nil }

// Replace adds all.
func (s reportStore) Replace(all []any, _ string) error {
	for _, obj := range all {
		_ = s.Add(obj) // never fails
	}
	return nil
}

// Resync does nothing.
func (s reportStore) Resync() error { return nil }
