package reconciler_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/reconciler"
)

// TestOnce delivers from a pipeline, with no hub: what is known of the run before is on the members.
func TestOnce(t *testing.T) {
	w := &world{t: t, members: map[string]client.Client{}, cables: map[string]*cable{}, planes: localtest.Members(t, both...)}
	w.config = w.planes["cluster-a"].Config()
	for _, name := range both {
		w.members[name] = clientOf(t, w.planes[name].Config())
		w.cables[name] = newCable(t, w.planes[name].Config().Host)
	}
	for _, stage := range []struct {
		name string
		run  func(*testing.T, *world, *repository)
	}{
		{"what is in Git is delivered", onceDelivers},
		{"a second run writes nothing", onceRests},
		{"a file removed from Git is pruned", oncePrunes},
		{"a commit that breaks a manifest", onceBroken},
		{"a member does not answer", onceUnreachable},
		{"a cluster refuses something", onceRefused},
		{"everything leaves one cluster", onceWithdraws},
		{"replicas are divided by room", onceDivides},
	} {
		r := newRepository(t)
		require.True(t, t.Run(stage.name, func(t *testing.T) {
			inner := *w
			inner.t, r.t = t, t
			stage.run(t, &inner, r)
		}))
	}
}

// once runs it; wait is how long to wait for health.
func (w *world) once(r *repository, wait time.Duration) (reconciler.OnceResult, error) {
	w.t.Helper()
	return w.onceAs(r, wait, func(*v1alpha1.FederationSpec) {})
}

// onceAs runs it for a Federation that is changed by change.
func (w *world) onceAs(r *repository, wait time.Duration, change func(*v1alpha1.FederationSpec)) (reconciler.OnceResult, error) {
	w.t.Helper()
	configs := map[string]*rest.Config{}
	for name, c := range w.cables {
		cfg := rest.CopyConfig(w.planes[name].Config())
		cfg.Host = c.host()
		configs[name] = cfg
	}
	fed := v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "pipeline", Name: "once"}}
	fed.Spec.Prune = true
	fed.Spec.Sources = []v1alpha1.Source{r.source("main")}
	fed.Spec.Sources[0].Timeout.Duration = time.Minute
	change(&fed.Spec)
	return reconciler.Once(w.t.Context(), reconciler.OnceOptions{
		Federation: fed, Configs: configs, CacheDir: w.t.TempDir(), Sources: everySource(), Dump: io.Discard, Wait: wait, Log: logr.Discard(),
	})
}

// done runs it, and it has to succeed on every cluster.
func (w *world) done(r *repository, clusters int) reconciler.OnceResult {
	w.t.Helper()
	result, err := w.once(r, patience)
	require.NoError(w.t, err)
	require.True(w.t, apimeta.IsStatusConditionTrue(result.Release.Status.Conditions, "Ready"), "%+v", result.Release.Status)
	require.EqualValues(w.t, clusters, result.Release.Status.Summary.Healthy)
	return result
}

func oncePush(r *repository, message, value string, more ...string) {
	r.push(message, append([]string{"app.yaml", configMap("once", value), "policy.yaml", policyFor("once", both, "")}, more...)...)
}

func onceDelivers(t *testing.T, w *world, r *repository) {
	oncePush(r, "two objects", "1", "more.yaml", configMap("once-more", "1"))
	result := w.done(r, 2)
	require.Len(t, result.Deliveries, 2)
	require.Len(t, result.Objects, 2)
	require.Equal(t, result.Objects[0].Generation, result.Objects[0].Status.ObservedGeneration)
	require.Equal(t, "1", w.configMap("cluster-b", "once").Data["key"])
}

func onceRests(t *testing.T, w *world, r *repository) {
	oncePush(r, "two objects", "1", "more.yaml", configMap("once-more", "1"))
	before := w.configMapWrites()
	w.done(r, 2)
	require.Equal(t, before, w.configMapWrites())
}

func oncePrunes(t *testing.T, w *world, r *repository) {
	oncePush(r, "one object", "1")
	w.done(r, 2)
	for _, c := range both {
		require.True(t, w.absent(c, "once-more"), "%s: it is done when all is done, pruning too", c)
		require.False(t, w.absent(c, "once"))
	}
}

func onceBroken(t *testing.T, w *world, r *repository) {
	oncePush(r, "broken", "1", "broken.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: [unclosed\n")
	_, err := w.once(r, 0)
	require.ErrorContains(t, err, "broken.yaml:")
	require.Regexp(t, `broken\.yaml:\d+`, err.Error())
	require.Equal(t, "1", w.configMap("cluster-a", "once").Data["key"])
}

func onceUnreachable(t *testing.T, w *world, r *repository) {
	oncePush(r, "another value", "2")
	w.cables["cluster-b"].setCut(true)
	for name, wait := range map[string]time.Duration{"for delivery": 0, "for health": time.Minute} {
		started := time.Now()
		result, err := w.once(r, wait)
		require.NoError(t, err)
		require.EqualValues(t, 1, result.Release.Status.Summary.Healthy, name)
		require.EqualValues(t, 1, result.Release.Status.Summary.Unreachable, name)
		require.Less(t, time.Since(started), patience, "%s: there is nothing to wait for", name)
		c := apimeta.FindStatusCondition(result.Release.Status.Conditions, "Ready")
		require.Equal(t, "ClustersUnreachable", c.Reason, name)
	}
	require.Equal(t, "2", w.configMap("cluster-a", "once").Data["key"])
	require.Equal(t, "1", w.configMap("cluster-b", "once").Data["key"])

	w.cables["cluster-b"].setCut(false)
	w.done(r, 2)
	require.Equal(t, "2", w.configMap("cluster-b", "once").Data["key"])
}

// What one cluster refuses is written to none, unless nobody asked before.
func onceRefused(t *testing.T, w *world, r *repository) {
	const refused = `apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {namespace: shop, name: refused}
spec:
  overrideRules:
  - targetCluster: {clusterNames: [cluster-b]}
    overriders: {plaintext: [{path: /data/not~1a~1key, operator: add, value: x}]}
`
	versions := func() (all []string) {
		for _, c := range both {
			all = append(all, w.configMap(c, "once").ResourceVersion)
		}
		return all
	}
	before := versions()
	oncePush(r, "refused by b", "3", "override.yaml", refused, "more.yaml", configMap("once-more", "1"))
	for name, wait := range map[string]time.Duration{"for delivery": 0, "for health": patience} {
		result, err := w.once(r, wait)
		require.NoError(t, err, name)
		require.Len(t, result.Rejected, 2, name)
		for i, object := range []string{"ConfigMap shop/once", "ConfigMap shop/once-more"} {
			require.Equal(t, "cluster-b", result.Rejected[i].Cluster)
			require.Equal(t, object, result.Rejected[i].Object)
			require.Equal(t, "Invalid", result.Rejected[i].Reason)
			require.Contains(t, result.Rejected[i].Message, "not/a/key")
		}
		c := apimeta.FindStatusCondition(result.Release.Status.Conditions, "Ready")
		require.Equal(t, "PreflightFailed", c.Reason, name)
		require.Contains(t, c.Message, "cluster-b refuses ConfigMap shop/once: ")
		require.Empty(t, result.Deliveries, name)
	}
	require.Equal(t, before, versions(), "nothing is written to a, which refuses nothing")
	require.True(t, w.absent("cluster-a", "once-more"))

	w.cables["cluster-b"].setCut(true)
	result, err := w.once(r, 0)
	require.NoError(t, err)
	require.Empty(t, result.Rejected, "a cluster that does not answer keeps nobody from the rest")
	passed := apimeta.FindStatusCondition(result.Release.Status.Conditions, v1alpha1.DryRunSucceeded)
	require.Contains(t, passed.Message, "2 objects tried, none refused; not asked: cluster-b")
	require.Equal(t, "3", w.configMap("cluster-a", "once").Data["key"])
	w.cables["cluster-b"].setCut(false)

	oncePush(r, "refused by b again", "4")
	result, err = w.onceAs(r, 0, func(spec *v1alpha1.FederationSpec) { spec.Preflight = new(false) })
	require.NoError(t, err)
	require.Empty(t, result.Rejected)
	require.Nil(t, apimeta.FindStatusCondition(result.Release.Status.Conditions, v1alpha1.DryRunSucceeded))
	require.EqualValues(t, 1, result.Release.Status.Summary.Failed)
	require.Equal(t, "4", w.configMap("cluster-a", "once").Data["key"])
	require.Equal(t, "2", w.configMap("cluster-b", "once").Data["key"])

	oncePush(r, "corrected", "2", "override.yaml", "", "more.yaml", "")
	w.done(r, 2)
}

// Nothing is decided for cluster-b any more. That it has something of ours, only cluster-b knows.
func onceWithdraws(t *testing.T, w *world, r *repository) {
	oncePush(r, "not on b\n\nAccord-Prune: allow", "2", "policy.yaml", policyFor("once", []string{"cluster-a"}, ""))
	result := w.done(r, 1)
	require.True(t, w.absent("cluster-b", "once"))
	require.False(t, w.absent("cluster-a", "once"))
	require.Len(t, result.Objects, 1)
}

// The members are asked for their room before anything is decided.
func onceDivides(t *testing.T, w *world, r *repository) {
	w.node("cluster-a", "small", "4", "32Gi")
	w.node("cluster-b", "middle", "8", "64Gi")
	elsewhere := func(text string) string { return strings.ReplaceAll(text, "namespace: shop", "namespace: room") } // shop is being removed
	r.push("six replicas\n\nAccord-Prune: allow", "web.yaml", elsewhere(web(6)), "policy.yaml", elsewhere(byRoom))
	result, err := w.once(r, 0)
	require.NoError(t, err)
	require.True(t, apimeta.IsStatusConditionTrue(result.Release.Status.Conditions, v1alpha1.Applied), "%+v", result.Release.Status)
	for cluster, want := range map[string]int32{"cluster-a": 2, "cluster-b": 4} {
		d := &appsv1.Deployment{}
		require.NoError(t, w.object(cluster, d, "room", "web"))
		require.Equal(t, want, *d.Spec.Replicas, cluster)
	}
}
