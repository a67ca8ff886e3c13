package member

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/reconciler/deliver"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store"
	"github.com/accord-dev/accord/status/readiness"
)

func TestHealthFlags(t *testing.T) {
	h, flags := Health{}, pflag.NewFlagSet("", pflag.ContinueOnError)
	h.Register(flags)
	require.Equal(t, defaultHealth(), h)
	require.NoError(t, flags.Parse([]string{"--cluster-failure-threshold=1m", "--cluster-success-threshold=2m", "--failover-eviction-timeout=3m", "--failover-max-unreachable=50%"}))
	require.Equal(t, []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute}, []time.Duration{h.Thresholds.Failure, h.Thresholds.Success, h.EvictionTimeout})
	require.Equal(t, 50, h.MaxUnreachable)
	for _, wrong := range []string{"50", "101%", "-1%", "half%", "%"} {
		require.ErrorContains(t, flags.Set("failover-max-unreachable", wrong), "expected a percentage from 0% to 100%, such as 30%")
	}
	require.Equal(t, defaultHealth(), New(Options{}).Health)
}

func TestReadyReason(t *testing.T) {
	for want, err := range map[string]error{
		v1alpha1.ClusterNotReachable: errors.New("dial tcp: no route to host"),
		v1alpha1.ClusterNotReady:     apierrors.NewServiceUnavailable("etcd is gone"),
		clusters.AnotherCluster:      &clusters.IdentityError{Reason: clusters.AnotherCluster},
	} {
		require.Equal(t, want, readyReason(err))
	}
	require.Equal(t, v1alpha1.ClusterNotReady, readyReason(apierrors.NewUnauthorized("no")))
	require.Equal(t, v1alpha1.ClusterNotReachable, readyReason(apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "eu-1")))
	require.Equal(t, v1alpha1.ClusterNotReady, readyReason(apierrors.NewForbidden(schema.GroupResource{}, "", nil)))
}

// TestObserve: which errors count at once, and which only after the threshold.
func TestObserve(t *testing.T) {
	missing := unusable{apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, "eu-1")}
	for name, c := range map[string]struct {
		recorded string // reason of Ready
		err      error
		want     readiness.State
	}{
		"a cluster that is Ready answers":         {v1alpha1.ClusterReady, nil, readiness.State{Known: true, Ready: true}},
		"a cluster that is Ready does not answer": {v1alpha1.ClusterReady, errors.New("timeout"), readiness.State{Known: true, Ready: true, Contradicted: time.Unix(50, 0)}},
		"the hub is slow":                         {v1alpha1.ClusterReady, fmt.Errorf("reading the earlier deliveries: %w", apierrors.NewTimeoutError("", 1)), readiness.State{Known: true, Ready: true, Contradicted: time.Unix(50, 0)}},
		"its Secret is missing":                   {v1alpha1.ClusterReady, missing, readiness.State{}},
		"it is another cluster":                   {v1alpha1.ClusterReady, &clusters.IdentityError{Reason: clusters.AnotherCluster}, readiness.State{}},
		"it was another cluster":                  {clusters.AnotherCluster, nil, readiness.State{Known: true, Ready: true}},
		"it is new":                               {v1alpha1.ClusterStatusNeverUpdated, errors.New("timeout"), readiness.State{Known: true}},
		"a cluster that is not Ready answers":     {v1alpha1.ClusterNotReachable, nil, readiness.State{Known: true, Contradicted: time.Unix(50, 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			ready := metav1.ConditionFalse
			if c.recorded == v1alpha1.ClusterReady {
				ready = metav1.ConditionTrue
			}
			controller := New(Options{Pool: deliver.NewPool(state.NewRegistry(reachability.NewTracker()), nil, nil, slog.New(slog.DiscardHandler))})
			require.Equal(t, c.want, controller.observe(named("eu-1", ready, c.recorded), c.err, time.Unix(50, 0)))
		})
	}
}

// named returns a Cluster with a condition Ready.
func named(name string, ready metav1.ConditionStatus, reason string) *v1alpha1.Cluster {
	c := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}}
	c.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: ready, Reason: reason}}
	return c
}

func TestFleetOf(t *testing.T) {
	leaving := *named("e", "False", v1alpha1.ClusterNotReachable)
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	all := []v1alpha1.Cluster{
		*named("a", "True", v1alpha1.ClusterReady), *named("b", "False", v1alpha1.ClusterNotReachable), *named("c", "Unknown", v1alpha1.ClusterStatusUnknown),
		*named("d", "False", v1alpha1.ClusterNotReady), leaving, *named("f", "Unknown", v1alpha1.ClusterStatusNeverUpdated), *named("g", "False", clusters.DuplicateCluster),
		{},
	}
	got := fleetOf(all, 30)
	require.Equal(t, [3]int{3, 7, 30}, [3]int{got.NotReady, got.All, got.MaxNotReady})
}

// TestASilentOwner: the leader marks a cluster Unknown whose replica reports no probe any more, and taints it.
func TestASilentOwner(t *testing.T) {
	scheme, err := scheme()
	require.NoError(t, err)
	now := time.Now()
	probed := func(name string, ago time.Duration) *v1alpha1.Cluster {
		c := named(name, "True", v1alpha1.ClusterReady)
		c.Status.LastProbeTime = &metav1.Time{Time: now.Add(-ago).UTC().Truncate(time.Second)}
		c.Status.Taints = []corev1.Taint{{Key: "team", Effect: corev1.TaintEffectNoSchedule}}
		c.Status.Conditions = append(c.Status.Conditions, metav1.Condition{Type: v1alpha1.CompleteAPIEnablements, Status: "True", Reason: "Complete"})
		return c
	}
	hub := fake.NewClientBuilder().WithScheme(scheme).WithObjects(probed("heard", time.Minute), probed("silent", time.Hour)).WithStatusSubresource(&v1alpha1.Cluster{}).Build()
	tracker := reachability.NewSharedTracker("leader", theirs{})
	tracker.Lead(now.Add(-time.Hour))
	records := store.NewMemory(scheme)
	c := New(Options{
		Hub: hub, Records: records, Registry: state.NewRegistry(tracker), Log: slog.New(slog.DiscardHandler), Emit: func(changes.Event) {},
		Health: Health{EvictionTimeout: time.Hour, MaxUnreachable: 30},
	})
	after := map[string]v1alpha1.ClusterStatus{}
	for _, name := range []string{"heard", "silent"} {
		member := &v1alpha1.Cluster{}
		require.NoError(t, hub.Get(t.Context(), client.ObjectKey{Name: name}, member))
		_, err := c.reconcileRemote(t.Context(), member, time.Minute)
		require.NoError(t, err)
		after[name] = member.Status
	}
	require.True(t, meta.IsStatusConditionTrue(after["heard"].Conditions, "Ready"))
	require.Len(t, after["heard"].Taints, 1)
	ready := meta.FindStatusCondition(after["silent"].Conditions, "Ready")
	require.Equal(t, metav1.ConditionUnknown, ready.Status)
	require.Equal(t, v1alpha1.ClusterStatusUnknown, ready.Reason)
	require.True(t, meta.IsStatusConditionTrue(after["silent"].Conditions, v1alpha1.CompleteAPIEnablements), "what the owner wrote stays")
	require.Len(t, after["silent"].Taints, 2)
	require.Equal(t, v1alpha1.TaintUnreachable+":NoSchedule", after["silent"].Taints[1].ToString())
	require.NotNil(t, after["silent"].Taints[1].TimeAdded)
}

// overtaken are records that somebody else has written since they were read.
type overtaken struct{ store.Store }

func (overtaken) PutStatus(context.Context, client.Object) error {
	return apierrors.NewConflict(v1alpha1.GroupVersion.WithResource("clusters").GroupResource(), "eu", errors.New("it changed"))
}

// A status that rests on an old Cluster is computed again soon, without an error.
func TestAnOvertakenWrite(t *testing.T) {
	c := New(Options{Records: overtaken{}})
	got, err := c.writeStatus(t.Context(), named("eu", "True", v1alpha1.ClusterReady), v1alpha1.ClusterStatus{}, time.Minute)
	require.NoError(t, err)
	require.Equal(t, minProbeInterval, got.RequeueAfter)
}

// theirs is the ownership of a replica that owns nothing.
type theirs struct{}

func (theirs) Owns(string) bool    { return false }
func (theirs) Owner(string) string { return "other" }

// TestPoliciesAndAutomaticTaints: the decision of policies keeps the automatic taints of a cluster.
func TestPoliciesAndAutomaticTaints(t *testing.T) {
	automatic := corev1.Taint{Key: v1alpha1.TaintNotReady, Effect: corev1.TaintEffectNoSchedule, TimeAdded: &metav1.Time{Time: time.Unix(50, 0)}}
	c := New(Options{Wake: func(string) {}})
	c.Taint(map[string][]corev1.Taint{"eu-1": {{Key: "new", Effect: corev1.TaintEffectNoSchedule}}})
	member := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1"}}
	member.Status.Taints = []corev1.Taint{{Key: "old", Effect: corev1.TaintEffectNoSchedule}, automatic}
	next := *member.Status.DeepCopy()
	c.addTaints(member, &next)
	require.Equal(t, []corev1.Taint{{Key: "new", Effect: corev1.TaintEffectNoSchedule}, automatic}, next.Taints)
}

// TestADroppedConnectionKeepsReadiness: a connection that is dropped at each probe does not begin the threshold again.
func TestADroppedConnectionKeepsReadiness(t *testing.T) {
	c := New(Options{Pool: deliver.NewPool(state.NewRegistry(reachability.NewTracker()), nil, nil, slog.New(slog.DiscardHandler))})
	member, down := named("eu-1", metav1.ConditionTrue, v1alpha1.ClusterReady), errors.New("the hub is slow")
	require.True(t, c.observe(member, down, time.Unix(50, 0)).Ready)
	c.drop("eu-1")
	require.True(t, c.observe(member, down, time.Unix(79, 0)).Ready)
	c.drop("eu-1")
	require.False(t, c.observe(member, down, time.Unix(80, 0)).Ready)
}
