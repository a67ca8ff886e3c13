package state

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/dump"
	"github.com/accord-dev/accord/reconciler/state/activation"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/state/rolloutrecord"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

const movingApp = `
-- input --
federation: fleet/prod
-- all.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, namespace: default}
spec: {replicas: 3, selector: {matchLabels: {app: app}}, template: {metadata: {labels: {app: app}}, spec: {containers: [{name: main, image: "app:1"}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: other, namespace: default}
spec: {replicas: 3, selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}, spec: {containers: [{name: main, image: "other:1"}]}}}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: app, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: app}]
  placement: {spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]}
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: all}
spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]}
---
apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: standard, namespace: default}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  stages:
  - {name: canary, clusterAffinity: {clusterNames: [cluster-a]}, gate: {approval: Manual}}
  - {name: world, clusterAffinity: {clusterNames: [cluster-b]}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: cluster-a}, status: {resourceSummary: {allocatable: {pods: 30}}}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: cluster-b}, status: {resourceSummary: {allocatable: {pods: 20}}}}
`

// TestAnEvictionDoesNotWaitForItsStage: cluster-a has the second version, and cluster-b waits for its stage. An eviction from cluster-a
// brings the second version of the evicted object to cluster-b, and nothing else.
func TestAnEvictionDoesNotWaitForItsStage(t *testing.T) {
	app := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "default", Name: "app"}
	other := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "default", Name: "other"}
	registry := NewRegistry(reachability.NewTracker())
	s := &scale{t: t, f: New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet", Name: "prod"}}, registry, fingerprint.New(nil, true))}
	registry.Add(s.f)
	for _, c := range []string{"cluster-a", "cluster-b"} {
		registry.SetReachability(c, reachability.State{})
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.activateRevision("main@1", movingApp, nil)
	for _, c := range s.plan.Clusters() {
		s.shows(c, s.plan.ForCluster(c).Objects)
	}
	s.decideRollouts(now)

	v2 := strings.NewReplacer("app:1", "app:2", "other:1", "other:2").Replace(movingApp)
	s.activateRevision("main@2", v2, nil)
	s.decideRollouts(now.Add(time.Minute))
	s.deliver("cluster-a")
	s.decideRollouts(now.Add(2 * time.Minute))
	require.Contains(t, s.heldOn("cluster-b", other), "waits for stage canary")

	s.activateRevision("main@2", v2, map[manifest.ID][]v1alpha1.GracefulEvictionTask{app: {{
		FromCluster: "cluster-a", PurgeMode: v1alpha1.PurgeGracefully, ClustersBeforeFailover: []string{"cluster-a"}, CreationTimestamp: metav1.NewTime(now),
	}}})
	require.NotEmpty(t, s.heldOn("cluster-b", app), "nothing is decided yet")
	s.decideRollouts(now.Add(3 * time.Minute))
	require.Empty(t, s.heldOn("cluster-b", app))
	require.NotEmpty(t, s.heldOn("cluster-b", other))
	require.Equal(t, s.plan.ForCluster("cluster-b").Objects[0].Digest, s.f.clusters["cluster-b"].Wants.Of(app).Digest)

	s.deliver("cluster-b")
	d := s.decideRollouts(now.Add(4 * time.Minute))
	require.NotZero(t, d.Outcomes["default/standard"].State.Clusters["cluster-b"].HealthySince, "the report about the earlier version still counts")
	for _, m := range d.Memories("cluster-b", nil) {
		require.Equal(t, "main@2", m.MovedRevision, "followers read it")
	}
}

// activateRevision makes the plan of a revision active, as if it were persisted.
func (s *scale) activateRevision(revision, text string, evictions map[manifest.ID][]v1alpha1.GracefulEvictionTask) {
	in, err := dump.Read([]byte(text))
	require.NoError(s.t, err)
	if in.Evictions = evictions; s.plan != nil {
		in.Previous = s.plan.Previous()
	}
	s.plan, err = propagate.New(in)
	require.NoError(s.t, err)
	release := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: strings.Replace(revision, "@", "-", 1)}}
	s.f.Activate(activation.Request{Plan: s.plan, Revision: revision, Release: release}, time.Now())
	for i, d := range s.plan.Decisions {
		s.f.records.objects.Set(s.f.objectRecord(d, s.plan.Previous()[i]))
	}
	s.f.active.persisted = true
}

// deliver shows the objects that a cluster gets as live and healthy, and leaves those that are held as they were.
func (s *scale) deliver(cluster string) {
	s.shows(cluster, slices.DeleteFunc(slices.Clone(s.f.clusters[cluster].Target.Objects), func(p propagate.Placed) bool { return p.Held != "" }))
}

// shows shows objects as live and healthy on a cluster.
func (s *scale) shows(cluster string, objects []propagate.Placed) {
	l := s.f.clusters[cluster]
	for _, p := range objects {
		s.f.observe(cluster, s.live(p.Rendered, time.Now()))
	}
	l.MarkListed(l.TargetKinds())
	l.Delivery.Status.LastAppliedRevision = s.f.active.revision
	delete(s.f.rollouts.seen, cluster)
}

// decideRollouts decides, and acts as the loop does.
func (s *scale) decideRollouts(now time.Time) *rolloutrecord.Decision {
	d, ok := s.f.DecideRollouts(now)
	require.True(s.t, ok)
	_, _, current := s.f.RememberRollouts(d)
	require.True(s.t, current)
	for name, o := range d.Outcomes {
		for _, x := range o.Decisions {
			if revision := d.MovedRevision(name, x); revision != "" {
				require.Equal(s.t, d.Revision, revision)
				turn := d.Turns[x.Cluster][name]
				turn.Moved = d.Plan
				d.SetTurn(x.Cluster, name, turn)
			}
		}
	}
	s.f.ActOnRollouts(d)
	return d
}

// heldOn returns the reason why an object is held on a cluster; empty if it is delivered.
func (s *scale) heldOn(cluster string, id manifest.ID) string {
	for _, p := range s.f.clusters[cluster].Target.Objects {
		if p.ID == id {
			return p.Held
		}
	}
	return "it is not wanted there"
}
