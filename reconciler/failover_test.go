package reconciler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestFailover follows objects from failed clusters to their replacements, by each purge mode.
func TestFailover(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	r := newRepository(t)
	r.federation = "failover"
	w.declare(r, func(s *v1alpha1.FederationSpec) {
		s.Failover = &v1alpha1.Failover{Enabled: true, ResourceEvictionRate: "10", Cooldown: &metav1.Duration{Duration: time.Hour}}
	})
	w.applied(r, r.push("an object that stays", "web.yaml", configMap("stays", "1"), "stays-policy.yaml", policyOf("stays", "clusterNames: [cluster-a, cluster-b, cluster-c]")))
	parts := map[string]func(*testing.T, *world, *repository){
		"an unreachable cluster, Gracefully":    gracefully,
		"a taint of a person, Directly":         directly,
		"an unhealthy workload, Never":          applicationNever,
		"every member vanishes, and accord not": allGone,
		"several replicas on three clusters":    divided,
		"values of the status, Directly":        preserving,
		"replicas and policy change meanwhile":  changing,
		"two clusters, one after the other":     oneByOne,
		"a finished Job":                        finished,
	}
	shared := map[string]func(*testing.T, *world){}
	for name, part := range parts {
		shared[name] = func(t *testing.T, w *world) { part(t, w, r) }
	}
	w.play(shared)
	t.Run("a restart in the middle", func(t *testing.T) { restartEvicting(t, w, r) })
	t.Run("a witness", func(t *testing.T) { witnessing(t, w, r) })
	t.Run("during a rollout", func(t *testing.T) { rollingOut(t, w, r) })
}

// movable is a policy that places an object of a kind on one of the three clusters, with rules for its failover.
func movable(apiVersion, kind, name, failover string) string {
	return fmt.Sprintf(`apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: %s}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: %s, kind: %s, name: %s}]
  placement:
    clusterAffinity: {clusterNames: [cluster-a, cluster-b, cluster-c]}
    spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]
  failover: %s
`, name, apiVersion, kind, name, failover)
}

// chosen returns the only cluster that is decided for an object.
func (w *world) chosen(r *repository, name string) string {
	w.t.Helper()
	var cluster string
	w.eventually(name+" to be decided", func() error {
		o, err := w.federated(r, name)
		if err != nil {
			return err
		}
		if len(o.Spec.Results) != 1 || len(o.Spec.Results[0].Clusters) != 1 {
			return fmt.Errorf("results are %+v", o.Spec.Results)
		}
		cluster = o.Spec.Results[0].Clusters[0]
		return nil
	})
	return cluster
}

// evicted waits until the task of an object satisfies a condition, and returns it.
func (w *world) evicted(r *repository, name, what string, is func(v1alpha1.GracefulEvictionTask) bool) v1alpha1.GracefulEvictionTask {
	w.t.Helper()
	var task v1alpha1.GracefulEvictionTask
	w.eventually("the eviction of "+name+" to be "+what, func() error {
		o, err := w.federated(r, name)
		if err != nil {
			return err
		}
		for _, task = range o.Spec.GracefulEvictionTasks {
			if is(task) {
				return nil
			}
		}
		return fmt.Errorf("tasks are %+v, evictions %+v", o.Spec.GracefulEvictionTasks, o.Status.Evictions)
	})
	return task
}

func open(t v1alpha1.GracefulEvictionTask) bool      { return t.Open() }
func completed(t v1alpha1.GracefulEvictionTask) bool { return !t.Open() && !t.Cancelled }

// there waits until a ConfigMap is on a cluster, or is not.
func (w *world) there(cluster, name string, there bool) {
	w.t.Helper()
	w.eventually(fmt.Sprintf("%s on %s: %t", name, cluster, there), func() error {
		return unless(w.absent(cluster, name) != there, "it is the other way")
	})
}

// gracefully: the replacement comes first, and the old copy goes when the cluster is back.
func gracefully(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("an object that moves", "graceful.yaml", configMap("graceful", "1"), "graceful-policy.yaml", movable("v1", "ConfigMap", "graceful", "{cluster: {purgeMode: Gracefully}}")))
	source := w.chosen(r, "graceful")
	w.there(source, "graceful", true)
	w.cables[source].setCut(true)
	task := w.evicted(r, "graceful", "open", open)
	require.Equal(t, []string{source, "TaintUntolerated", "TaintManager", "Gracefully"}, []string{task.FromCluster, task.Reason, task.Producer, string(task.PurgeMode)})
	w.eventually("another cluster", func() error { return unless(w.chosen(r, "graceful") != source, "it is on "+source) })
	target := w.chosen(r, "graceful")
	w.there(target, "graceful", true)
	require.False(t, w.absent(source, "graceful"), "nobody can delete the old copy")
	w.eventually("the status to explain the eviction", func() error {
		o, err := w.federated(r, "graceful")
		if err != nil {
			return err
		}
		return unless(len(o.Status.Evictions) == 1 && o.Status.Evictions[0].Phase == v1alpha1.EvictionOpen && strings.Contains(o.Status.Evictions[0].Message, "does not answer"), fmt.Sprintf("%+v", o.Status.Evictions))
	})
	require.True(t, w.evicted(r, "graceful", "open", open).Open(), "the old copy is still there")
	w.eventually("the event", func() error {
		o, err := w.federated(r, "graceful")
		if err != nil {
			return err
		}
		return w.toldOf(w.namespace, "FederatedObject", o.Name, "Warning ClusterEvicting", 1, source)
	})

	w.cables[source].setCut(false)
	w.there(source, "graceful", false)
	w.evicted(r, "graceful", "completed", completed)
	w.clusterIs(source, metav1.ConditionTrue, v1alpha1.ClusterReady)
	w.automaticTaints(source)
	require.Equal(t, target, w.chosen(r, "graceful"), "a cluster that returns is not preferred")
	require.False(t, w.absent(source, "stays"), "other objects stay")
	w.applied(r, r.push("the end of it", "graceful.yaml", "", "graceful-policy.yaml", ""))
}

// directly: the old copy goes first.
func directly(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("an object that moves", "direct.yaml", configMap("direct", "1"), "direct-policy.yaml", movable("v1", "ConfigMap", "direct", "{cluster: {purgeMode: Directly}}")))
	source := w.chosen(r, "direct")
	w.there(source, "direct", true)
	w.taintCluster(source, corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoExecute})
	w.eventually("the time of the taint", func() error { return unless(w.cluster(source).Spec.Taints[0].TimeAdded != nil, "it has none") })
	task := w.evicted(r, "direct", "completed", completed)
	require.Equal(t, []string{source, "Directly"}, []string{task.FromCluster, string(task.PurgeMode)})
	w.there(source, "direct", false)
	target := w.chosen(r, "direct")
	require.NotEqual(t, source, target)
	w.there(target, "direct", true)
	require.False(t, w.absent(source, "stays"), "its policy has no failover")
	w.taintCluster(source)
	w.applied(r, r.push("the end of it", "direct.yaml", "", "direct-policy.yaml", ""))
}

// applicationNever: an unhealthy workload moves, and its old copy stays until a person allows its deletion.
func applicationNever(t *testing.T, w *world, r *repository) {
	r.push("a workload that moves", "web-workload.yaml", deployment("nginx:1.27"), "web-policy.yaml",
		movable("apps/v1", "Deployment", "web", "{application: {purgeMode: Never, decisionConditions: {tolerationSeconds: 3}}}"))
	source := w.chosen(r, "web")
	w.eventually("the workload", func() error { return w.object(source, &appsv1.Deployment{}, "shop", "web") }) // nobody runs its pods: it never becomes healthy
	w.eventually("the time since which it is unhealthy", func() error {
		o, err := w.federated(r, "web")
		if err != nil {
			return err
		}
		return unless(len(o.Status.UnhealthySince) == 1 && o.Status.UnhealthySince[0].Cluster == source, fmt.Sprintf("%+v", o.Status.UnhealthySince))
	})
	task := w.evicted(r, "web", "open", open)
	require.Equal(t, []string{source, "ApplicationFailure", "Never"}, []string{task.FromCluster, task.Reason, string(task.PurgeMode)})
	require.True(t, *task.SuppressDeletion)
	w.eventually("another cluster", func() error { return unless(w.chosen(r, "web") != source, "it is on "+source) })
	target := w.chosen(r, "web")
	w.eventually("the replacement to be healthy", func() error { return w.runs(target) })
	w.eventually("the reason of the wait", func() error {
		o, err := w.federated(r, "web")
		if err != nil {
			return err
		}
		return unless(slices.ContainsFunc(o.Status.Evictions, func(e v1alpha1.EvictionState) bool {
			return e.Cluster == source && strings.Contains(e.Message, "suppressDeletion")
		}), fmt.Sprintf("%+v", o.Status.Evictions))
	})
	require.NoError(t, w.object(source, &appsv1.Deployment{}, "shop", "web"), "the old copy stays")

	w.eventually("a person to allow the deletion", func() error {
		o, err := w.federated(r, "web")
		if err != nil {
			return err
		}
		for i := range o.Spec.GracefulEvictionTasks {
			o.Spec.GracefulEvictionTasks[i].SuppressDeletion = new(bool)
		}
		return w.hub.Update(t.Context(), o)
	})
	w.evicted(r, "web", "completed", func(t v1alpha1.GracefulEvictionTask) bool { return completed(t) && t.FromCluster == source })
	w.eventually("the old copy to go", func() error {
		return unless(apierrors.IsNotFound(w.object(source, &appsv1.Deployment{}, "shop", "web")), "it is there")
	})
	require.NoError(t, w.object(target, &appsv1.Deployment{}, "shop", "web"))
	w.applied(r, r.push("the end of it", "web-workload.yaml", "", "web-policy.yaml", ""))
}

// runs makes a Deployment look healthy on a cluster without controllers.
func (w *world) runs(cluster string) error {
	d := &appsv1.Deployment{}
	if err := w.object(cluster, d, "shop", "web"); err != nil {
		return err
	}
	n := *d.Spec.Replicas
	d.Status = appsv1.DeploymentStatus{
		ObservedGeneration: d.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n,
		Conditions: []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable"}},
	}
	return w.members[cluster].Status().Update(w.t.Context(), d)
}

// allGone: if every member vanishes at once, accord doubts its own network, and evicts nothing.
func allGone(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("an object that stays", "gone.yaml", configMap("gone", "1"), "gone-policy.yaml", movable("v1", "ConfigMap", "gone", "{cluster: {purgeMode: Gracefully}}")))
	source := w.chosen(r, "gone")
	for _, c := range w.cables {
		c.setCut(true)
	}
	w.eventually("the Federation to report the doubt", func() error {
		c := apimeta.FindStatusCondition(w.declared(r).Status.Conditions, v1alpha1.FailoverBlocked)
		return unless(c != nil && c.Status == metav1.ConditionTrue && c.Reason == v1alpha1.ManyClustersNotReady, fmt.Sprintf("%+v", c))
	})
	time.Sleep(2 * time.Second) // longer than the eviction timeout of the test
	o, err := w.federated(r, "gone")
	require.NoError(t, err)
	require.Empty(t, o.Spec.GracefulEvictionTasks)
	require.Equal(t, source, w.chosen(r, "gone"))
	for _, c := range w.cables {
		c.setCut(false)
	}
	for name := range w.cables {
		w.clusterIs(name, metav1.ConditionTrue, v1alpha1.ClusterReady)
	}
	w.eventually("the end of the doubt", func() error {
		return unless(apimeta.FindStatusCondition(w.declared(r).Status.Conditions, v1alpha1.FailoverBlocked) == nil, "accord doubts")
	})
	require.False(t, w.absent(source, "gone"))
	w.applied(r, r.push("the end of it", "gone.yaml", "", "gone-policy.yaml", ""))
}

// restartEvicting: accord restarts twice while an eviction is under way, and ends it. The Federation requires approval, and the second
// time a newer commit awaits it: evictions need none, and do not deliver that commit.
func restartEvicting(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("an object that moves", "restart.yaml", configMap("restart", "1"), "restart-policy.yaml", movable("v1", "ConfigMap", "restart", "{cluster: {purgeMode: Gracefully}}")))
	w.patch(r, func(fed *v1alpha1.Federation) { fed.Spec.Approval = &v1alpha1.ApprovalPolicy{} })
	w.restartBetween(r)
	newer := r.push("a change that nobody approves", "web.yaml", configMap("stays", "2"))
	w.condition(r, newer, v1alpha1.Approved, metav1.ConditionFalse, "")
	w.restartBetween(r)
	w.condition(r, newer, v1alpha1.Approved, metav1.ConditionFalse, "")
	for cluster := range w.cables {
		require.Equal(t, "1", w.configMap(cluster, "stays").Data["key"], "nobody approved the other version")
	}
}

// restartBetween restarts accord between a task and the end of its eviction.
func (w *world) restartBetween(r *repository) {
	w.t.Helper()
	source := w.chosen(r, "restart")
	of := func(is func(v1alpha1.GracefulEvictionTask) bool) func(v1alpha1.GracefulEvictionTask) bool {
		return func(task v1alpha1.GracefulEvictionTask) bool { return is(task) && task.FromCluster == source }
	}
	w.cables[source].setCut(true)
	task := w.evicted(r, "restart", "open", of(open))
	w.stop()
	w.run()
	w.eventually("another cluster", func() error { return unless(w.chosen(r, "restart") != source, "it is on "+source) })
	target := w.chosen(r, "restart")
	w.there(target, "restart", true)
	again := w.evicted(r, "restart", "open", of(open))
	require.Equal(w.t, task.CreationTimestamp.UTC(), again.CreationTimestamp.UTC(), "it is the same eviction")
	w.cables[source].setCut(false)
	w.there(source, "restart", false)
	w.evicted(r, "restart", "completed", of(completed))
	require.Equal(w.t, target, w.chosen(r, "restart"))
	w.clusterIs(source, metav1.ConditionTrue, v1alpha1.ClusterReady)
}
