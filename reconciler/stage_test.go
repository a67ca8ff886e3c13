package reconciler_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/kwok"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

var fleetOfThree = []string{"cluster-a", "cluster-b", "cluster-c"}

// TestStages is a change going through three clusters, one after the other; each part has a Federation of its own.
func TestStages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	for _, cluster := range fleetOfThree { // it belongs to no part, whichever comes first
		require.NoError(t, w.members[cluster].Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}))
	}
	for _, part := range []struct {
		name string
		run  func(*testing.T, *world)
	}{
		{"a person approves, a commit overtakes, an object is removed", stagesApproved},
		{"a cluster is held", stagesHeld},
		{"defect F1: a stage loses its cluster, by a commit and by a label on the hub", defectF1},
		{"defect R4: a commit ends a hold and deletes the held object", defectR4},
		{"defect R4: a hold ends after the object left Git", defectR4Earlier},
		{"an image that cannot be pulled stops in the first stage, and is rolled back", stagesFailed},
		{"a cluster is dead", stagesDead},
	} {
		t.Run(part.name, func(t *testing.T) {
			inner := *w
			inner.t, inner.rights.repositories = t, nil // those of the part before are gone; what was granted for them stays
			part.run(t, &inner)
		})
	}
	t.Run("a restart in mid-stage", func(t *testing.T) {
		inner := *w
		inner.t = t
		stagesRestarted(t, &inner, w)
	})
}

// stages is a RolloutPolicy for one kind: cluster-a, then cluster-b, then cluster-c. gate is that of the first stage, more is
// appended to the spec.
func stages(kind, gate, more string) string {
	apiVersion := "v1"
	if kind == "Deployment" {
		apiVersion = "apps/v1"
	}
	return fmt.Sprintf(`apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {namespace: shop, name: standard}
spec:
  resourceSelectors: [{apiVersion: %s, kind: %s}]
  stages:
  - name: canary
    clusterAffinity: {clusterNames: [cluster-a]}
    gate: {%s}
  - name: europe
    clusterAffinity: {clusterNames: [cluster-b]}
  - name: world
    clusterAffinity: {clusterNames: [cluster-c]}
%s`, apiVersion, kind, gate, more)
}

// rollout waits until the rollout of a Release is as check wants it, and returns it.
func (w *world) rollout(r *repository, sha, verdict, stage string) v1alpha1.RolloutStatus {
	w.t.Helper()
	var found v1alpha1.RolloutStatus
	w.eventually(fmt.Sprintf("the rollout of %s to be %s in stage %q", sha[:12], verdict, stage), func() error {
		release, err := w.release(r, sha)
		if err != nil {
			return err
		}
		for _, found = range release.Status.Rollouts {
			if found.Phase == verdict && found.Stage == stage {
				return nil
			}
		}
		return fmt.Errorf("it is %+v, and conditions are %+v", release.Status.Rollouts, release.Status.Conditions)
	})
	return found
}

// order annotates the Release of a commit as a person would. Nobody does that in the name of others.
func (w *world) order(r *repository, sha, do, value string) {
	w.t.Helper()
	release, err := w.release(r, sha)
	require.NoError(w.t, err)
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q,%q:%q}}}`, policy.CommandPrefix+do, value, policy.CommandByAnnotation, administrator)
	hostile := w.as("mallory").Patch(w.t.Context(), release.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)))
	require.ErrorContains(w.t, hostile, "the annotation rollout.accord.dev/by must name the user who gives the command: set it to mallory")
	require.NoError(w.t, w.hub.Patch(w.t.Context(), release, client.RawPatch(types.MergePatchType, []byte(patch))))
}

// key of a ConfigMap on every cluster, "-" where it is not there.
func (w *world) keys(name string) []string {
	w.t.Helper()
	var values []string
	for _, cluster := range fleetOfThree {
		cm := &corev1.ConfigMap{}
		err := w.object(cluster, cm, "shop", name)
		require.NoError(w.t, client.IgnoreNotFound(err))
		if err != nil {
			cm.Data = map[string]string{"key": "-"}
		}
		values = append(values, cm.Data["key"])
	}
	return values
}

func stagesApproved(t *testing.T, w *world) {
	r := w.federation("approved")
	manual := stages("ConfigMap", "approval: Manual", "")
	first := r.push("first", "app.yaml", configMap("app", "1"), "old.yaml", configMap("old", "1"), "policy.yaml", policyFor("approved", fleetOfThree, ""), "stages.yaml", manual)
	waiting := w.rollout(r, first, "WaitingForApproval", "canary")
	require.Equal(t, []string{"1", "-", "-"}, w.keys("app"), "a first installation goes through the stages, too")
	require.Contains(t, waiting.WaitingFor.Message, waiting.ID[len("sha256:"):][:12]+"@canary")
	release := w.condition(r, first, "Ready", metav1.ConditionUnknown, "WaitingForApproval")
	require.Nil(t, apimeta.FindStatusCondition(release.Status.Conditions, "Reconciling"), "nobody works on it")
	require.Equal(t, "canary", release.Status.WaitingFor.Stage)
	w.order(r, first, policy.CommandApprove, waiting.ID+"@canary")
	release = w.ready(r, first)
	require.Equal(t, []string{"1", "1", "1"}, w.keys("app"))
	done := release.Status.Rollouts[0]
	require.Equal(t, "Complete", done.Phase)
	require.Len(t, done.Stages, 3)
	for _, s := range done.Stages {
		require.EqualValues(t, 1, s.Healthy, s)
		require.NotNil(t, s.CompletedAt, s)
	}

	untouched := w.configMap("cluster-b", "app").ResourceVersion
	o, err := w.federated(r, "app")
	require.NoError(t, err)
	second := r.push("second", "app.yaml", configMap("app", "2"), "old.yaml", "")
	w.rollout(r, second, "WaitingForApproval", "canary")
	require.Equal(t, []string{"2", "1", "1"}, w.keys("app"))
	require.Equal(t, []string{"-", "1", "1"}, w.keys("old"), "a removal goes through the stages, too")
	changed, err := w.federated(r, "app")
	require.NoError(t, err)
	require.Equal(t, o.Generation+1, changed.Generation, "the decision changed once")
	require.Less(t, changed.Status.ObservedGeneration, changed.Generation, "two clusters do not have it")

	third := r.push("third, before the second was approved", "app.yaml", configMap("app", "3"))
	waiting = w.rollout(r, third, "WaitingForApproval", "canary")
	require.Equal(t, []string{"3", "1", "1"}, w.keys("app"))
	require.Equal(t, untouched, w.configMap("cluster-b", "app").ResourceVersion, "nobody else ever got the second")
	w.condition(r, second, "Superseded", metav1.ConditionTrue, "")
	w.order(r, third, policy.CommandApprove, waiting.ID+"@canary")
	w.ready(r, third)
	require.Equal(t, []string{"3", "3", "3"}, w.keys("app"))
	w.eventually("what left Git to be gone everywhere", func() error {
		return unless(fmt.Sprint(w.keys("old")) == "[- - -]", fmt.Sprint(w.keys("old")))
	})
	w.toldReasons([]string{"RolloutStarted", "RolloutSuperseded", "StageStarted", "StageCompleted", "RolloutCompleted"})
}

func stagesHeld(t *testing.T, w *world) {
	r := w.federation("held")
	w.ready(r, r.push("first", "app.yaml", configMap("resting", "1"), "policy.yaml", policyFor("held", fleetOfThree, ""), "stages.yaml", stages("ConfigMap", "", "")))
	w.holdCluster("cluster-c", &v1alpha1.ClusterHold{Reason: "load test", Owner: "j.doe"})
	second := r.push("second", "app.yaml", configMap("resting", "2"))
	w.rollout(r, second, "Paused", "world")
	require.Equal(t, []string{"2", "2", "1"}, w.keys("resting"))
	w.eventually("the Delivery to say who holds it", func() error {
		c := apimeta.FindStatusCondition(w.delivery(r, "cluster-c").Status.Conditions, v1alpha1.HeldType)
		if c == nil {
			return fmt.Errorf("it is not held")
		}
		return unless(c.Status == metav1.ConditionTrue && strings.Contains(c.Message, "held by j.doe: load test"), c.Message)
	})
	w.condition(r, second, "Ready", metav1.ConditionUnknown, "Paused")
	require.NoError(t, w.members["cluster-c"].Delete(t.Context(), w.configMap("cluster-c", "resting")))
	w.asked(r, v1alpha1.RequestedAtAnnotation, "while a cluster is held")
	require.Equal(t, []string{"2", "2", "-"}, w.keys("resting"), "hands off")

	w.holdCluster("cluster-c", nil)
	w.ready(r, second)
	require.Equal(t, []string{"2", "2", "2"}, w.keys("resting"))
}

func stagesFailed(t *testing.T, w *world) {
	localtest.RunPods(t, 1, w.planes["cluster-a"], w.planes["cluster-b"], w.planes["cluster-c"])
	r := w.federation("failed")
	everywhere := fmt.Sprintf("%s, cluster-b, cluster-c]\n", deployments[:len(deployments)-2])
	patient, impatient := stages("Deployment", "", "  progressDeadline: 10m\n"), stages("Deployment", "", "  progressDeadline: 3s\n")
	good := r.push("runs", "web.yaml", deployment("nginx:1.27"), "policy.yaml", everywhere, "stages.yaml", patient)
	w.ready(r, good)
	before := w.workloads()

	bad := r.push("cannot be pulled", "web.yaml", deployment("nginx:"+kwok.BadTag), "stages.yaml", impatient)
	release := w.condition(r, bad, "Stalled", metav1.ConditionTrue, "")
	halted := w.rollout(r, bad, "Halted", "canary")
	require.True(t, halted.Terminal)
	require.Equal(t, halted.Reason, apimeta.FindStatusCondition(release.Status.Conditions, "Stalled").Reason)
	require.Contains(t, apimeta.FindStatusCondition(release.Status.Conditions, "Ready").Message, "cluster-a")
	after := w.workloads()
	require.Equal(t, before["cluster-b"], after["cluster-b"], "nobody else is touched")
	require.Equal(t, before["cluster-c"], after["cluster-c"], "nobody else is touched")
	require.Equal(t, "nginx:"+kwok.BadTag, w.image("cluster-a"), "a halt changes nothing")

	w.ready(r, r.push("runs again", "web.yaml", deployment("nginx:1.28"), "stages.yaml", patient))
	before = w.workloads()
	worse := r.push("cannot be pulled either", "web.yaml", deployment("redis:"+kwok.BadTag), "stages.yaml", impatient+"  onFailure: Rollback\n")
	release = w.condition(r, worse, "Stalled", metav1.ConditionTrue, "RolledBack")
	require.Contains(t, apimeta.FindStatusCondition(release.Status.Conditions, "Stalled").Message, worse[:7], "the wanted commit")
	back := w.rollout(r, worse, "RolledBack", "canary")
	require.Len(t, back.RollbackRevisions, 1)
	w.eventually("cluster-a to run what was healthy", func() error { return unless(w.image("cluster-a") == "nginx:1.28", w.image("cluster-a")) })
	after = w.workloads()
	require.Equal(t, before["cluster-b"], after["cluster-b"], "nobody else is touched")
	o, err := w.federated(r, "web")
	require.NoError(t, err)
	require.Less(t, o.Status.ObservedGeneration, o.Generation, "no cluster runs what is wanted")

	other := r.push("about something else", "notes.yaml", configMap("notes", "1"))
	w.condition(r, other, "Stalled", metav1.ConditionTrue, "RolledBack")
	require.Equal(t, "nginx:1.28", w.image("cluster-a"), "it stays until what failed changes")
	w.ready(r, r.push("mended", "web.yaml", deployment("nginx:1.29"), "stages.yaml", patient))
	for _, cluster := range fleetOfThree {
		require.Equal(t, "nginx:1.29", w.image(cluster))
	}
}

func stagesDead(t *testing.T, w *world) {
	r := w.federation("dead")
	policyWith := func(away int) string {
		return fmt.Sprintf(`apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {namespace: shop, name: standard}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap}]
  stages:
  - {name: canary, clusterAffinity: {clusterNames: [cluster-a]}}
  - {name: rest, clusterAffinity: {clusterNames: [cluster-b, cluster-c]}}
  progressDeadline: 5s
  failureBudget: {maxUnreachable: %d}
`, away)
	}
	w.ready(r, r.push("first", "app.yaml", configMap("mortal", "1"), "policy.yaml", policyFor("dead", fleetOfThree, ""), "stages.yaml", policyWith(1)))
	w.cables["cluster-b"].setCut(true)
	w.eventually("cluster-b to be missed", func() error {
		return unless(apimeta.IsStatusConditionFalse(w.delivery(r, "cluster-b").Status.Conditions, v1alpha1.Reachable), "it is not")
	})
	within := r.push("within the budget", "app.yaml", configMap("mortal", "2"))
	done := w.rollout(r, within, "Complete", "")
	require.Equal(t, []string{"cluster-b"}, done.OutdatedClusters)
	w.condition(r, within, "Ready", metav1.ConditionFalse, "ClustersUnreachable")
	require.Equal(t, []string{"2", "1", "2"}, w.keys("mortal"))

	beyond := r.push("beyond the budget", "app.yaml", configMap("mortal", "3"), "stages.yaml", policyWith(0))
	halted := w.rollout(r, beyond, "Halted", "rest")
	require.Equal(t, "ClustersUnreachable", halted.Reason)
	require.False(t, halted.Terminal, "it goes on by itself")
	require.Equal(t, "cluster-b", halted.WaitingFor.Cluster)

	w.cables["cluster-b"].setCut(false)
	w.ready(r, beyond)
	require.Equal(t, []string{"3", "3", "3"}, w.keys("mortal"))
}

func stagesRestarted(t *testing.T, w, outer *world) {
	r := w.federation("restarted")
	manual := stages("ConfigMap", "approval: Manual", "")
	sha := r.push("first", "app.yaml", configMap("lasting", "1"), "policy.yaml", policyFor("restarted", fleetOfThree, ""), "stages.yaml", manual)
	waiting := w.rollout(r, sha, "WaitingForApproval", "canary")
	given := w.delivery(r, "cluster-a").Status.Rollouts
	require.Len(t, given, 1)
	outer.stop()
	require.NoError(t, w.members["cluster-a"].Delete(t.Context(), w.configMap("cluster-a", "lasting")))
	w.order(r, sha, policy.CommandApprove, waiting.ID+"@canary")
	require.Equal(t, []string{"-", "-", "-"}, w.keys("lasting"))
	outer.run()
	w.ready(r, sha)
	require.Equal(t, []string{"1", "1", "1"}, w.keys("lasting"))
	after := w.delivery(r, "cluster-a").Status.Rollouts
	require.Equal(t, given[0].UpdatedAt.UnixMicro(), after[0].UpdatedAt.UnixMicro(), "it was not given anything again")
	require.Equal(t, given[0].Current, after[0].Current)
	t.Run("TestDefectR9", func(t *testing.T) { waitingClustersAreRepaired(t, w, outer, r, sha) })
	t.Run("TestDefectF5", func(t *testing.T) { rolledBackClustersSaySo(t, w, r, sha) })
}

// waitingClustersAreRepaired: a cluster that waits for its stage keeps its version and is repaired to it, also after a
// restart (defect R9).
func waitingClustersAreRepaired(t *testing.T, w, outer *world, r *repository, first string) {
	second := r.push("second", "app.yaml", configMap("lasting", "2"))
	waiting := w.rollout(r, second, "WaitingForApproval", "canary")
	require.NoError(t, w.members["cluster-b"].Delete(t.Context(), w.configMap("cluster-b", "lasting")))
	edited := w.configMap("cluster-c", "lasting")
	edited.Data["key"] = "by hand"
	require.NoError(t, w.members["cluster-c"].Update(t.Context(), edited))
	repaired := func() error { return unless(fmt.Sprint(w.keys("lasting")) == "[2 1 1]", fmt.Sprint(w.keys("lasting"))) }
	w.eventually("the waiting clusters to be repaired", repaired)
	w.eventually("the Delivery to name the kept revision", func() error {
		d := w.delivery(r, "cluster-b").Status
		return unless(strings.Contains(d.LastAppliedRevision, first) && apimeta.IsStatusConditionTrue(d.Conditions, v1alpha1.HeldType), fmt.Sprintf("%s %+v", d.LastAppliedRevision, d.Conditions))
	})

	outer.stop()
	require.NoError(t, w.members["cluster-b"].Delete(t.Context(), w.configMap("cluster-b", "lasting")))
	outer.run()
	w.eventually("the waiting cluster to be repaired after a restart", repaired)
	w.rollout(r, second, "WaitingForApproval", "canary")

	w.order(r, second, policy.CommandApprove, waiting.ID+"@canary")
	w.ready(r, second)
	require.Equal(t, []string{"2", "2", "2"}, w.keys("lasting"))
}

// rolledBackClustersSaySo: after a rollback, the Deliveries name the revision that runs (defect F5).
func rolledBackClustersSaySo(t *testing.T, w *world, r *repository, first string) {
	release, err := w.release(r, r.git(r.work, "rev-parse", "HEAD"))
	require.NoError(t, err)
	w.order(r, r.git(r.work, "rev-parse", "HEAD"), policy.CommandRollback, release.Status.Rollouts[0].ID)
	w.eventually("the rollback to name its user", func() error {
		release, err := w.release(r, r.git(r.work, "rev-parse", "HEAD"))
		return cmp.Or(err, unless(strings.HasSuffix(release.Status.Rollouts[0].Message, " by "+administrator), release.Status.Rollouts[0].Message))
	})
	for _, cluster := range fleetOfThree {
		w.eventually(cluster+" to run the first commit, and to say so", func() error {
			d := w.delivery(r, cluster).Status
			applied := apimeta.FindStatusCondition(d.Conditions, v1alpha1.Applied)
			return unless(w.configMap(cluster, "lasting").Data["key"] == "1" && strings.Contains(d.LastAppliedRevision, first) &&
				applied.Status == metav1.ConditionUnknown && applied.Reason == "Held", fmt.Sprintf("%s %+v", d.LastAppliedRevision, applied))
		})
	}
}

// toldReasons waits until there are events with these reasons.
func (w *world) toldReasons(reasons []string) {
	w.t.Helper()
	w.eventually("people to be told", func() error {
		events := &corev1.EventList{}
		if err := w.hub.List(w.t.Context(), events, client.InNamespace(w.namespace)); err != nil {
			return err
		}
		var told []string
		for _, e := range events.Items {
			told = append(told, e.Reason)
		}
		for _, reason := range reasons {
			if !slices.Contains(told, reason) {
				return fmt.Errorf("%s is not among %v", reason, told)
			}
		}
		return nil
	})
}

// holdCluster holds a cluster on the hub, or lets go of it.
func (w *world) holdCluster(name string, hold *v1alpha1.ClusterHold) {
	w.t.Helper()
	c := &v1alpha1.Cluster{}
	require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Name: name}, c))
	before := c.DeepCopy()
	c.Spec.Hold = hold
	require.NoError(w.t, w.hub.Patch(w.t.Context(), c, client.MergeFrom(before)))
}

// workloads are the generations of the Deployment on each cluster, which only writes of its spec change, with its UID.
func (w *world) workloads() map[string]string {
	w.t.Helper()
	all := map[string]string{}
	for _, cluster := range fleetOfThree {
		d := &appsv1.Deployment{}
		require.NoError(w.t, w.object(cluster, d, "shop", "web"))
		all[cluster] = fmt.Sprintf("%s %d %s", d.UID, d.Generation, d.Annotations[v1alpha1.DigestAnnotation])
	}
	return all
}

// image that the Deployment of a cluster is to run.
func (w *world) image(cluster string) string {
	w.t.Helper()
	d := &appsv1.Deployment{}
	require.NoError(w.t, w.object(cluster, d, "shop", "web"))
	return d.Spec.Template.Spec.Containers[0].Image
}
