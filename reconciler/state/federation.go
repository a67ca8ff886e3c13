package state

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/metrics/counts"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/discovered"
	"github.com/accord-dev/accord/reconciler/state/evictions"
	"github.com/accord-dev/accord/reconciler/state/hubobjects"
	"github.com/accord-dev/accord/reconciler/state/mirrored"
	"github.com/accord-dev/accord/reconciler/state/news"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
	"github.com/accord-dev/accord/status"
)

// Federation has the desired and the observed state of one Federation. Each group of fields has a file of its own.
type Federation struct {
	key          types.NamespacedName
	fingerprints *fingerprint.Key
	registry     *Registry

	mu       sync.Mutex // guards everything below
	declared declared
	active   activePlan
	newest   newestRevision
	records  records
	clusters map[string]*delivery.State
	// discovered are objects on members that the hub has no record of, by cluster.
	discovered discovered.ByCluster
	shared     shared
	bulk       changes.Bulk
	mirror     mirrored.State
	rollouts   rollouts
	evictions  evictions.State
	leadTime   counts.LeadTime
	news       news.Federation
}

// declared is the Federation as its author declares it.
type declared struct {
	// object is the Federation as it was declared last; its status is the one that was written last.
	object *v1alpha1.Federation
	// evaluated is the generation that was reconciled last, spec the spec of that generation; nil before the first time.
	evaluated int64
	spec      *v1alpha1.FederationSpec
	// suspendedAt is the generation in which the Federation was suspended last.
	suspendedAt int64
	// handledAt is the last value of the annotation that requests a reconciliation.
	handledAt string
	// reconciledAt is the time of the last reconciliation.
	reconciledAt time.Time
}

// shared are values that most clusters of a Federation have in common; each is in memory once.
type shared struct {
	// proven has the objects on clusters that were found intact.
	proven    live.Proven
	inventory delivery.ParsedInventory
}

// records are the records of a Federation on the hub.
type records struct {
	// release is the newest Release: of the active plan, of a pending one, or of a commit that could not be planned.
	// releaseDirty is set while its status differs from the written one.
	release      *v1alpha1.Release
	releaseDirty bool
	decided      record.Summary     // of the plan of release
	older        []v1alpha1.Release // newest first
	objects      hubobjects.Records
	// waiting are objects whose status waits until a cluster has been listed.
	waiting map[manifest.ID]bool
	// removed are the clusters that left the fleet, until their Deliveries are deleted.
	removed []*delivery.State
}

// New returns a Federation of which nothing is known. fingerprints replace digests of Secrets on the hub.
func New(fed *v1alpha1.Federation, registry *Registry, fingerprints *fingerprint.Key) *Federation {
	return &Federation{
		fingerprints: fingerprints, registry: registry, key: types.NamespacedName{Namespace: fed.Namespace, Name: fed.Name}, declared: declared{object: fed.DeepCopy()},
		records: records{
			objects: hubobjects.New(), waiting: map[manifest.ID]bool{},
		},
		clusters: map[string]*delivery.State{}, shared: shared{proven: live.Proven{}},
		discovered: discovered.ByCluster{},
	}
}

// Stored are the records of one Federation, as the process before this one left them on the hub.
type Stored struct {
	Objects     []v1alpha1.FederatedObject
	Deliveries  []v1alpha1.Delivery
	Releases    []v1alpha1.Release
	Inventories []v1alpha1.Inventory
	Reports     []v1alpha1.DeliveryReport
}

// Restore returns a Federation that continues from its records.
func Restore(fed *v1alpha1.Federation, s Stored, registry *Registry, fingerprints *fingerprint.Key) *Federation {
	f := New(fed, registry, fingerprints)
	recorded := delivery.NewInherited(s.Deliveries, s.Inventories, s.Reports)
	for i := range s.Objects {
		f.records.objects.Set(&s.Objects[i])
	}
	for i := range s.Deliveries {
		d := &s.Deliveries[i]
		f.clusters[d.Spec.Cluster] = delivery.New(d, f.shared.proven)
		f.clusters[d.Spec.Cluster].Inherit(recorded)
	}
	slices.SortFunc(s.Releases, func(a, b v1alpha1.Release) int { return b.CreationTimestamp.Compare(a.CreationTimestamp.Time) })
	f.records.older = s.Releases
	f.evictions = evictions.Restore(&f.records.objects)
	return f
}

// Key returns the namespace and name of the Federation.
func (f *Federation) Key() types.NamespacedName { return f.key }

// Declare records the Federation as it is declared now. It returns false if fed is another Federation of the same name.
func (f *Federation) Declare(fed *v1alpha1.Federation) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fed.UID != f.declared.object.UID {
		return false
	}
	fed = fed.DeepCopy()
	fed.Status = f.declared.object.Status
	f.declared.object = fed
	return true
}

// Is reports whether fed is this Federation, and not another one of the same name.
func (f *Federation) Is(fed *v1alpha1.Federation) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.declared.object.UID == fed.UID
}

// Declared returns a copy of the Federation as it was declared last.
func (f *Federation) Declared() *v1alpha1.Federation {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.declared.object.DeepCopy()
}

// Spec returns the declared spec.
func (f *Federation) Spec() v1alpha1.FederationSpec {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.declared.object.Spec
}

// Handled records that a request for a reconciliation was served.
func (f *Federation) Handled(requestedAt string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.declared.handledAt = requestedAt
}

// evaluate records that the Federation was reconciled in this generation.
func (f *Federation) evaluate(generation int64) {
	f.declared.evaluated = generation
	if f.declared.object.Generation == generation {
		f.declared.spec = f.declared.object.Spec.DeepCopy()
	}
}

// onlySuspended reports whether the Federation differs from the reconciled one in spec.suspend only: other changes are
// reconciled when it resumes. After a restart the status on the hub decides.
func (f *Federation) onlySuspended() bool {
	d := &f.declared
	if d.spec == nil {
		return d.object.Status.ObservedGeneration == d.object.Generation
	}
	then, now := *d.spec, d.object.Spec
	then.Suspend, now.Suspend = false, false
	return equality.Semantic.DeepEqual(then, now)
}

// Suspend cancels the deliveries of a Federation that is suspended. Their remaining objects are reported as held. It
// changes nothing if the Federation was suspended before.
func (f *Federation) Suspend() (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := &f.declared
	if d.suspendedAt == d.object.Generation {
		return c
	}
	d.suspendedAt = d.object.Generation
	if f.onlySuspended() {
		d.evaluated = d.object.Generation
	}
	for _, l := range f.clusters {
		l.Cancel()
	}
	f.updateObjects(&c, f.objectIDs())
	return c
}

// end cancels the deliveries. No delivery begins after it.
func (f *Federation) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active.persisted = false
	for _, l := range f.clusters {
		l.Cancel()
	}
}

// Resync requests the deliveries and reports that are due. It costs nothing if none is, and repairs a lost wake-up after one
// interval. Mutated objects are applied again now and then: the policy that mutated them may be gone.
func (f *Federation) Resync(now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, l := range f.clusters {
		if !l.Run.Finished || l.RetriesMutated(now) {
			c.Deliveries = append(c.Deliveries, changes.DeliveryRequest{Federation: f.key, Cluster: name, Priority: changes.Resync})
		}
		for id := range l.Mutated {
			f.updateObject(&c, id, changes.ReleaseInterval) // spec.mutationPolicy may have changed
		}
		f.updateCluster(&c, name, changes.ReleaseInterval)
	}
	return c
}

// ReachabilityChanged updates everything that depends on whether a cluster is reachable.
func (f *Federation) ReachabilityChanged(cluster string, now time.Time) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.updateEverythingOn(&c, cluster)
	c.Evictions = append(c.Evictions, f.key)
	f.endBulk(&c, now) // a bulk does not wait for an unreachable cluster
	return c
}

// UpdateEverythingOn updates the status of a cluster and of all its objects.
func (f *Federation) UpdateEverythingOn(cluster string) (c changes.Changes) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.updateEverythingOn(&c, cluster)
	return c
}

func (f *Federation) updateEverythingOn(c *changes.Changes, cluster string) {
	l := f.clusters[cluster]
	if l == nil {
		return
	}
	for id := range l.Wants.All() {
		c.Updates = append(c.Updates, f.bulk.ObjectUpdate(f.key, id, 0))
	}
	f.updateCluster(c, cluster, 0)
}

// BreakerChanged updates the Delivery of a cluster, which alone shows the state of the breaker.
func (f *Federation) BreakerChanged(cluster string) (c changes.Changes) {
	f.updateCluster(&c, cluster, changes.ReleaseInterval)
	return c
}

// Unlist drops the observations of a cluster whose watches list again.
func (f *Federation) Unlist(cluster string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if l := f.clusters[cluster]; l != nil {
		l.Unlist()
	}
}

// Clusters returns the clusters that the active plan covers, or that still have objects of the Federation, sorted.
func (f *Federation) Clusters() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.names()
}

func (f *Federation) names() []string { return slices.Sorted(maps.Keys(f.clusters)) }

// Concerns reports whether a cluster has objects of the Federation, or gets some.
func (f *Federation) Concerns(cluster string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.clusters[cluster]
	return l != nil && !l.Idle()
}

// Outstanding reports whether a reachable cluster has not been delivered completely.
func (f *Federation) Outstanding(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.outstanding(now)
}

func (f *Federation) outstanding(now time.Time) bool {
	for name, l := range f.clusters {
		if f.registry.Reachability(name, now).Unreachable == "" && !l.Run.Finished && l.Run.Error == "" {
			return true
		}
	}
	return false
}

// ObjectIDs returns all objects that were decided about.
func (f *Federation) ObjectIDs() map[manifest.ID]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.objectIDs()
}

func (f *Federation) objectIDs() map[manifest.ID]bool {
	ids := make(map[manifest.ID]bool, f.records.objects.Len())
	for id := range f.records.objects.All() {
		ids[id] = true
	}
	return ids
}

// owner makes the hub collect the records of a deleted Federation. There is no owner without a hub.
func (f *Federation) owner() []metav1.OwnerReference {
	o := f.declared.object
	if o.UID == "" {
		return nil
	}
	return []metav1.OwnerReference{{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Federation", Name: o.Name, UID: o.UID}}
}

// Records are copies of the records of a Federation, for a caller without a hub.
type Records struct {
	Release    v1alpha1.Release
	Deliveries []v1alpha1.Delivery
	Objects    []v1alpha1.FederatedObject
	// Rejected has the objects that clusters rejected in the dry-run of the newest plan.
	Rejected []status.Refusal
}

// Records returns copies of the newest Release, the Deliveries and the FederatedObjects, sorted.
func (f *Federation) Records() Records {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := Records{Release: *f.records.release.DeepCopy()}
	if result := f.newest.dryRun.Result; result != nil {
		r.Rejected = result.Refused
	}
	for _, name := range f.names() {
		if l := f.clusters[name]; !l.Idle() {
			r.Deliveries = append(r.Deliveries, *l.Delivery.DeepCopy())
		}
	}
	for _, id := range f.records.objects.IDs() {
		r.Objects = append(r.Objects, *f.records.objects.Of(id).DeepCopy())
	}
	return r
}

// ReleaseStatus returns the status of the newest Release; false if there is none.
func (f *Federation) ReleaseStatus() (v1alpha1.ReleaseStatus, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.records.release == nil {
		return v1alpha1.ReleaseStatus{}, false
	}
	return *f.records.release.Status.DeepCopy(), true
}

// SourcesAt returns a copy of the Federation and all its Releases, which name the commits of revisions.
func (f *Federation) SourcesAt() (*v1alpha1.Federation, []v1alpha1.Release) {
	f.mu.Lock()
	defer f.mu.Unlock()
	releases := slices.Clone(f.records.older)
	if f.records.release != nil {
		releases = append(releases, *f.records.release)
	}
	return f.declared.object.DeepCopy(), releases
}

// ActiveRevision returns the revision of the active plan and its findings; empty before the first plan.
func (f *Federation) ActiveRevision() (string, []propagate.Finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.active.revision, f.active.findings
}

// NewestRelease returns the name of the newest Release; false if there is none.
func (f *Federation) NewestRelease() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.records.release == nil {
		return "", false
	}
	return f.records.release.Name, true
}

// SetReleases replaces the older Releases. A follower, which writes none, learns the commits of revisions from them.
func (f *Federation) SetReleases(older []v1alpha1.Release) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.records.older = older
}
