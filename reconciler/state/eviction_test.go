package state

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/propagate/failover"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/deliveryreport"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/state/unobserved"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

// evictable returns the input of many Deployments, of which one has application failover and one cluster failover.
func evictable(objects int) string {
	var b strings.Builder
	b.WriteString("\n-- input --\nfederation: fleet/prod\n-- all.yaml --\n")
	for i := range objects {
		fmt.Fprintf(&b, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app-%d, namespace: default}\nspec: {replicas: 1, selector: {matchLabels: {app: app}}, template: {metadata: {labels: {app: app}}, spec: {containers: [{name: main, image: \"app:1\"}]}}}\n---\n", i)
	}
	for name, rules := range map[string]string{"app-0": "{application: {decisionConditions: {tolerationSeconds: 60}}}", "app-1": "{cluster: {purgeMode: Gracefully}}"} {
		fmt.Fprintf(&b, `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: %s, namespace: default}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: %s}]
  placement: {spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]}
  failover: %s
---
`, name, name, rules)
	}
	return b.String() + `apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: cluster-a}, status: {resourceSummary: {allocatable: {pods: 30}}}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: cluster-b}, status: {resourceSummary: {allocatable: {pods: 20}}}}
`
}

func deploymentID(name string) manifest.ID {
	return manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "default", Name: name}
}

// evicting returns a Federation with failover, whose objects are delivered and healthy, and its placement of an object.
func evicting(t *testing.T, objects int) *scale {
	registry := NewRegistry(reachability.NewTracker())
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "prod"}, Spec: v1alpha1.FederationSpec{Failover: &v1alpha1.Failover{Enabled: true}}}
	s := &scale{t: t, f: New(fed, registry, fingerprint.New(nil, true))}
	registry.Add(s.f)
	for _, c := range []string{"cluster-a", "cluster-b"} {
		registry.SetReachability(c, reachability.State{})
	}
	s.activateRevision("main@1", evictable(objects), nil)
	for _, c := range s.plan.Clusters() {
		s.f.clusters[c].Listed = true
		s.deliver(c)
	}
	return s
}

func (s *scale) decideEvictions(now time.Time, taints ...corev1.Taint) (failover.Input, failover.Outcome) {
	s.t.Helper()
	settings := failover.Configured(s.f.Spec().Failover)
	in, out, _, ok := s.f.DecideEvictions(failover.Input{Now: now, Settings: settings, Clusters: []failover.Cluster{
		{Name: "cluster-a", Answers: true, Taints: taints}, {Name: "cluster-b", Answers: true},
	}})
	require.True(s.t, ok)
	return in, out
}

func names(in failover.Input) (all []string) {
	for _, o := range in.Objects {
		all = append(all, o.ID.Name)
	}
	return all
}

// TestEvictionsCostNothingWithoutAFailure: a decision looks at the objects that could be concerned, whatever their number.
func TestEvictionsCostNothingWithoutAFailure(t *testing.T) {
	s, now := evicting(t, 500), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	in, out := s.decideEvictions(now)
	require.Equal(t, []string{"app-0"}, names(in), "the only object with application failover was observed")
	require.Empty(t, out.UnhealthySince)
	in, _ = s.decideEvictions(now)
	require.Empty(t, in.Objects)

	observed := func(name string) int {
		var c changes.Changes
		s.f.observed(&c, deploymentID(name), "cluster-a")
		return len(c.Evictions)
	}
	require.Zero(t, observed("app-7"), "nothing can evict it")
	require.Equal(t, 1, observed("app-0"))

	s.f.evictions.Take(failover.Input{Objects: []failover.Object{{ID: deploymentID("app-1")}}}, failover.Outcome{Blocked: []failover.Blocked{{ID: deploymentID("app-1"), Cluster: "cluster-a"}}})
	require.Equal(t, 1, observed("app-1"), "its eviction is blocked, and its status may end that")
	in, out = s.decideEvictions(now, corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: now}})
	require.ElementsMatch(t, []string{"app-0", "app-1"}, names(in), "of the objects on the cluster, one has cluster failover")
	require.Len(t, out.Tasks[deploymentID("app-1")], 1)
}

// TestUnhealthySinceSurvives: the time since which a copy is unhealthy is in the status, and counts on after a restart.
func TestUnhealthySinceSurvives(t *testing.T) {
	s, now := evicting(t, 3), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	id := deploymentID("app-0")
	r, _ := s.f.clusters["cluster-a"].Reports.Get(id)
	r.Health = "Failed"
	s.f.clusters["cluster-a"].Reports.Put(id, r)
	_, out := s.decideEvictions(now)
	require.Equal(t, map[string]time.Time{"cluster-a": now}, out.UnhealthySince[id])
	in, _, ok := s.f.ObjectStatus(id, now)
	require.True(t, ok)
	recorded := in.Status(1, now)
	require.Equal(t, []v1alpha1.UnhealthyCopy{{Cluster: "cluster-a", Since: metav1.NewTime(now)}}, recorded.UnhealthySince)

	o := s.f.records.objects.Of(id).DeepCopy()
	o.Status = recorded
	again := Restore(s.f.Declared(), Stored{Objects: []v1alpha1.FederatedObject{*o}}, s.f.registry, s.f.fingerprints)
	open, unhealthy := again.evictions.Explain(id)
	require.Empty(t, open)
	require.Equal(t, recorded.UnhealthySince, unhealthy)

	_, out = s.decideEvictions(now.Add(61 * time.Second))
	require.Equal(t, "ApplicationFailure", out.Tasks[id][0].Reason)
}

// TestEvictionsLeaveANewerRevisionPending: the plan of evictions has the active revision, and a plan that awaits approval stays.
func TestEvictionsLeaveANewerRevisionPending(t *testing.T) {
	s, now := evicting(t, 3), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	_, _, due := s.f.EvictionsDue()
	require.False(t, due)
	id, active := deploymentID("app-1"), s.plan
	tasks := []v1alpha1.GracefulEvictionTask{{
		FromCluster: "cluster-a", PurgeMode: v1alpha1.PurgeNever, SuppressDeletion: new(true), CreationTimestamp: metav1.NewTime(now), ClustersBeforeFailover: []string{"cluster-a"},
	}}
	s.f.records.objects.Set(s.f.WithEvictions(id, tasks))
	require.Nil(t, s.f.WithEvictions(deploymentID("absent"), tasks))
	c := s.f.EvictionsWritten(failover.Input{}, failover.Outcome{Tasks: map[manifest.ID][]v1alpha1.GracefulEvictionTask{id: tasks}})
	require.Len(t, c.Replan, 1)
	before, revision, due := s.f.EvictionsDue()
	require.True(t, due)
	require.Same(t, active, before)
	require.Equal(t, "main@1", revision)

	pending := &activation.Pending{}
	s.f.newest.pending = pending
	s.f.records.release.Spec.Revision = "main@1"
	s.f.succeed(&v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: "main-2"}, Spec: v1alpha1.ReleaseSpec{Revision: "main@2", PlanDigest: "pending"}})
	release := s.f.records.release.DeepCopy()
	plan := s.evict(active)
	activated := s.f.ActivateEvictions(plan, now)
	require.Equal(t, plan.Digest(), activated.Release.Spec.PlanDigest, "a restart finds the plan that was active")
	require.Equal(t, "main@1", activated.Release.Spec.Revision)
	require.Same(t, plan, s.f.Plan())
	require.Same(t, pending, s.f.newest.pending)
	require.Equal(t, release, s.f.records.release)
	_, _, due = s.f.EvictionsDue()
	require.True(t, due, "it is not persisted")
	s.f.Persisted(Unpersisted{}, nil, now)
	_, _, due = s.f.EvictionsDue()
	require.False(t, due)
	require.False(t, s.plan.Decision(id).On("cluster-b"))
	require.True(t, plan.Decision(id).On("cluster-b"))

	onHub := s.f.WithEvictions(id, []v1alpha1.GracefulEvictionTask{*tasks[0].DeepCopy()})
	require.Nil(t, s.f.LiftedEvictions(onHub))
	onHub.Spec.GracefulEvictionTasks[0].SuppressDeletion, onHub.Spec.GracefulEvictionTasks[0].FromCluster = new(bool), "cluster-b"
	require.Nil(t, s.f.LiftedEvictions(onHub), "accord has no such task")
	onHub.Spec.GracefulEvictionTasks[0].FromCluster, onHub.Spec.GracefulEvictionTasks[0].Reason = "cluster-a", "forged"
	lifted := s.f.LiftedEvictions(onHub)
	require.False(t, *lifted[0].SuppressDeletion)
	require.Empty(t, lifted[0].Reason, "the other fields are accord's")
}

// TestInterruptedEvictionIsRestored: an eviction needs no approval after a restart in the middle of its activation either.
func TestInterruptedEvictionIsRestored(t *testing.T) {
	s, now := evicting(t, 3), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	id, recorded := deploymentID("app-1"), s.plan
	s.f.records.objects.Set(s.f.WithEvictions(id, []v1alpha1.GracefulEvictionTask{{
		FromCluster: "cluster-a", PurgeMode: v1alpha1.PurgeGracefully, CreationTimestamp: metav1.NewTime(now), ClustersBeforeFailover: []string{"cluster-a"},
	}}))
	evicted, both := s.evict(recorded), []string{"cluster-a", "cluster-b"}
	release := func(revision string, plan *propagate.Plan, unapproved bool) *v1alpha1.Release {
		r := &v1alpha1.Release{Spec: v1alpha1.ReleaseSpec{Revision: revision, PlanDigest: plan.Digest()}}
		if unapproved {
			r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.Approved, Status: metav1.ConditionFalse}}
		}
		return r
	}
	matches := func(plan *propagate.Plan, changed []string, releases ...*v1alpha1.Release) unobserved.Match {
		return unobserved.Matches(releases, plan, "main@1", changed)
	}
	newer := release("main@2", s.plan, true)
	require.Equal(t, unobserved.Same, matches(recorded, nil, newer, release("main@1", recorded, false)))
	require.Equal(t, unobserved.Interrupted, matches(evicted, both, newer, release("main@1", evicted, false)), "its Deliveries were not written")
	require.Equal(t, unobserved.Different, matches(evicted, both, newer, release("main@1", recorded, false)), "it was not active")
	require.Equal(t, unobserved.Different, matches(evicted, both, release("main@1", evicted, true)), "it is not approved")
	require.Equal(t, unobserved.Interrupted, matches(recorded, nil, release("main@1", evicted, true)), "the plan with the eviction was parked")
	require.Equal(t, unobserved.Different, matches(evicted, []string{"cluster-c"}, release("main@1", evicted, false)), "no eviction concerns the cluster")
	require.Equal(t, unobserved.Different, matches(recorded, both, release("main@1", recorded, false)))
}

// TestTheLastObjectOfAKindIsObservedUntilItIsGone: an eviction that deletes the old copy first completes when the copy is gone.
func TestTheLastObjectOfAKindIsObservedUntilItIsGone(t *testing.T) {
	s, now := evicting(t, 2), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	id, kind := deploymentID("app-1"), schema.GroupKind{Group: "apps", Kind: "Deployment"}
	source := s.f.clusters["cluster-a"]
	source.Target.Objects, source.Leaving = nil, nil
	require.NotContains(t, source.ReportedKinds(), kind.WithVersion("v1"))
	task := v1alpha1.GracefulEvictionTask{FromCluster: "cluster-a", PurgeMode: v1alpha1.PurgeDirectly, CreationTimestamp: metav1.NewTime(now), ClustersBeforeFailover: []string{"cluster-a"}}
	s.f.records.objects.Set(s.f.WithEvictions(id, []v1alpha1.GracefulEvictionTask{task}))
	s.persistEvictions(now)
	source.Target.Objects = nil // as if it had been the only Deployment
	j, ok := s.f.Begin("cluster-a", func() {})
	require.True(t, ok)
	require.Contains(t, j.Kinds(), kind.WithVersion("v1"))
	require.Contains(t, source.ReportedKinds(), kind.WithVersion("v1"), "another replica observes it, too")

	task.CompletionTimestamp = &metav1.Time{Time: now}
	s.f.records.objects.Set(s.f.WithEvictions(id, []v1alpha1.GracefulEvictionTask{task}))
	s.persistEvictions(now)
	require.Empty(t, source.Leaving)
}

// TestThePlanBeforeTheNewestTasksIsRestored: a process ends after it wrote tasks and before the plan that follows them, while a newer
// revision awaits approval. The recorded decisions follow tasks that are not the newest any more.
func TestThePlanBeforeTheNewestTasksIsRestored(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	id := deploymentID("app-1")
	suppressed := v1alpha1.GracefulEvictionTask{
		FromCluster: "cluster-a", PurgeMode: v1alpha1.PurgeNever, SuppressDeletion: new(true), CreationTimestamp: metav1.NewTime(now), ClustersBeforeFailover: []string{"cluster-a"},
	}
	lifted, ended := suppressed, suppressed
	lifted.SuppressDeletion, ended.CompletionTimestamp = new(false), &metav1.Time{Time: now.Add(time.Minute)}
	for name, c := range map[string]struct {
		planned, newest []v1alpha1.GracefulEvictionTask
	}{
		"a task begins":              {nil, []v1alpha1.GracefulEvictionTask{suppressed}},
		"suppressDeletion is lifted": {[]v1alpha1.GracefulEvictionTask{suppressed}, []v1alpha1.GracefulEvictionTask{lifted}},
		"a task ends":                {[]v1alpha1.GracefulEvictionTask{lifted}, []v1alpha1.GracefulEvictionTask{ended}},
		"a cooldown ends":            {[]v1alpha1.GracefulEvictionTask{ended}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := evicting(t, 3)
			s.f.records.release.Spec.Revision = "main@1"
			if c.planned != nil {
				s.f.records.objects.Set(s.f.WithEvictions(id, c.planned))
				s.persistEvictions(now)
			}
			active := s.f.Plan()
			s.f.records.objects.Set(s.f.WithEvictions(id, c.newest))

			again := s.restarted(now)
			revision, recorded := again.RecordedRevision()
			require.True(t, recorded)
			require.Equal(t, "main@1", revision)
			restored := false
			for _, tasks := range again.PossibleEvictions() {
				in, err := dump.Read([]byte(evictable(3)))
				require.NoError(t, err)
				in.Evictions, in.Previous = tasks, again.Previous()
				plan, err := propagate.New(in)
				require.NoError(t, err)
				_, restored = again.RestorePlan(plan, revision, false, now)
			}
			require.True(t, restored)
			require.Equal(t, active.Digest(), again.Plan().Digest())
			_, _, due := again.EvictionsDue()
			require.True(t, due, "the plan that follows the newest tasks is next")
		})
	}
}

// restarted returns the Federation of the process after this one, which reads the records of the hub. A newer revision is not approved.
func (s *scale) restarted(now time.Time) *Federation {
	stored := Stored{Releases: []v1alpha1.Release{*s.f.records.release.DeepCopy(), {
		ObjectMeta: metav1.ObjectMeta{Name: "main-2", CreationTimestamp: metav1.NewTime(now)}, Spec: v1alpha1.ReleaseSpec{Revision: "main@2", PlanDigest: "pending"},
		Status: v1alpha1.ReleaseStatus{Conditions: []metav1.Condition{{Type: v1alpha1.Approved, Status: metav1.ConditionFalse}}},
	}}}
	for _, o := range s.f.records.objects.All() {
		stored.Objects = append(stored.Objects, *o.DeepCopy())
	}
	for cluster := range s.f.clusters {
		stored.Deliveries = append(stored.Deliveries, *s.f.newDelivery(cluster))
	}
	return Restore(s.f.Declared(), stored, s.f.registry, s.f.fingerprints)
}

// persistEvictions makes the plan of the recorded evictions active, and records it as the hub does.
func (s *scale) persistEvictions(now time.Time) {
	activated := s.f.ActivateEvictions(s.evict(s.f.Plan()), now)
	u := s.f.Unpersisted(activated.Carried)
	for _, r := range u.Puts {
		s.f.Put(r, now)
	}
	s.f.Persisted(u, activated.Touched, now)
}

// evict makes the plan of the same revision with the recorded evictions.
func (s *scale) evict(active *propagate.Plan) *propagate.Plan {
	s.t.Helper()
	in, err := dump.Read([]byte(evictable(s.f.records.objects.Len())))
	require.NoError(s.t, err)
	in.Evictions, in.Previous = s.f.Evictions(), active.Previous()
	plan, err := active.Next(in)
	require.NoError(s.t, err)
	return plan
}

// TestReportsRequestDecisions: another process executes the cluster, an agent or a replica. What it reports of a copy can decide an
// eviction, as the hub's own observation can.
func TestReportsRequestDecisions(t *testing.T) {
	s := evicting(t, 3)
	l := s.f.clusters["cluster-a"]
	ingest := func(r *v1alpha1.DeliveryReport) int { return len(s.f.IngestReport(r, time.Now()).Evictions) }
	report := func() *v1alpha1.DeliveryReport { return l.DeliveryReport(metav1.ObjectMeta{}) }
	require.Zero(t, ingest(report()), "nothing changed")
	changed := func(name string) *v1alpha1.DeliveryReport {
		r, entry := report(), deploymentID(name).Entry()
		o := r.Status.Objects[entry]
		o.Health, o.Message = "Failed", "it crashed"
		r.Status.Objects[entry] = o
		return r
	}
	require.Zero(t, ingest(changed("app-2")), "nothing can evict it")
	require.Equal(t, 1, ingest(changed("app-0")))

	l.Listed = false
	r := report()
	r.Status.Synced, r.Status.ObservedDelivery = true, deliveryreport.AssignmentID(l.Delivery)
	require.Equal(t, 1, ingest(r), "only now a missing copy is known to be gone")
}
