package reconciler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestFacts follows what members say of themselves into decisions, over restarts. Each part goes on where the one before
// it ended; a restart asks the members anew at once.
func TestFacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.node("cluster-a", "small", "4", "32Gi")
	w.node("cluster-b", "middle", "8", "64Gi")
	r := w.federation("facts")
	for _, part := range []struct {
		name string
		run  func(*testing.T, *world, *repository)
	}{
		{"replicas are divided by room", dividedByRoom},
		{"what was divided stays although there is more room now", divisionStays},
		{"more replicas go where the room is", scaledUpByRoom},
		{"replicas that a cluster cannot schedule move", unschedulableMoves},
		{"what does not fit stays as it was, and is no success", keptForWantOfRoom},
		{"a kind is placed where it is served", placedWhereServed},
		{"what an object refers to goes along, and is held with it", dependencyFollows},
		{"policies taint clusters by their conditions", taintedByPolicy},
		{"a cluster that is not Ready gets taints, and no new objects", notReady},
		{"accord doubts its own network", doubted},
		{"what a Federation skips is not propagated", skipped},
	} {
		t.Log(part.name) // not a test of its own: the controllers it starts outlive it
		part.run(t, w, r)
	}
}

// node gives a member a node that nothing runs on.
func (w *world) node(cluster, name, cpu, memory string) {
	w.t.Helper()
	has := corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse(memory), "pods": resource.MustParse("2000")}
	require.NoError(w.t, w.members[cluster].Create(w.t.Context(), &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Allocatable: has},
	}))
}

// replicas that each member was told to run.
func (w *world) replicas() (a, b int32) {
	w.t.Helper()
	d := w.deployments()
	return *d[0].Spec.Replicas, *d[1].Spec.Replicas
}

// deployments are web on both members.
func (w *world) deployments() []appsv1.Deployment {
	w.t.Helper()
	both := make([]appsv1.Deployment, 2)
	for i, cluster := range []string{"cluster-a", "cluster-b"} {
		require.NoError(w.t, w.object(cluster, &both[i], "shop", "web"))
	}
	return both
}

// applied waits until a commit is on all clusters that answer. Nothing runs on these members, so nothing becomes ready.
func (w *world) applied(r *repository, sha string) *v1alpha1.Release {
	w.t.Helper()
	return w.condition(r, sha, v1alpha1.Applied, metav1.ConditionTrue, "")
}

// web is a Deployment of which each replica wants a core.
func web(replicas int) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: web}
spec:
  replicas: %d
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "nginx:1.27", resources: {requests: {cpu: "1", memory: 1Gi}}}]
`, replicas)
}

const byRoom = `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: by-room}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  placement:
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
      weightPreference: {dynamicWeight: AvailableReplicas}
`

func dividedByRoom(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("six replicas", "web.yaml", web(6), "policy.yaml", byRoom))
	a, b := w.replicas()
	require.Equal(t, [2]int32{2, 4}, [2]int32{a, b}, "room for 4 and for 8")

	o, err := w.federated(r, "web")
	require.NoError(t, err)
	require.NotEmpty(t, o.Spec.TemplateDigest)
	require.Empty(t, o.Spec.PreviousPlacement)
	w.eventually("the Clusters to say what they have", func() error {
		c := &v1alpha1.Cluster{}
		if err := w.hub.Get(t.Context(), client.ObjectKey{Name: "cluster-b"}, c); err != nil {
			return err
		}
		s := c.Status
		return unless(s.ResourceSummary != nil && s.ResourceSummary.Allocatable.Cpu().Value() == 8 && s.ResourceSummary.MeasuredAt != nil &&
			len(s.APIEnablements) > 0 && apimeta.IsStatusConditionTrue(s.Conditions, v1alpha1.CompleteAPIEnablements) &&
			apimeta.IsStatusConditionTrue(s.Conditions, "Ready"), fmt.Sprintf("%+v", s))
	})
}

// restart ends the controllers, changes the world while they are away, and starts them.
func (w *world) restart(change func()) {
	w.t.Helper()
	w.stop()
	change()
	w.run()
}

func divisionStays(t *testing.T, w *world, r *repository) {
	before := w.deployments()
	o, err := w.federated(r, "web")
	require.NoError(t, err)
	w.restart(func() { w.node("cluster-a", "large", "64", "512Gi") })
	w.eventually("the room of cluster-a to be known", func() error {
		c := &v1alpha1.Cluster{}
		if err := w.hub.Get(t.Context(), client.ObjectKey{Name: "cluster-a"}, c); err != nil {
			return err
		}
		return unless(c.Status.ResourceSummary.Allocatable.Cpu().Value() == 68, fmt.Sprintf("%+v", c.Status.ResourceSummary))
	})
	w.applied(r, r.push("another object, so that all is decided anew", "other.yaml", configMap("other", "1"), "other-policy.yaml", policyFor("other", both, "")))
	for i, d := range w.deployments() {
		require.Equal(t, before[i].ResourceVersion, d.ResourceVersion, "nothing was written")
	}
	now, err := w.federated(r, "web")
	require.NoError(t, err)
	require.Equal(t, o.Generation, now.Generation)
}

func scaledUpByRoom(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("twelve replicas", "web.yaml", web(12)))
	a, b := w.replicas()
	require.EqualValues(t, 12, a+b)
	require.GreaterOrEqual(t, a, int32(7), "most of the new ones go where most of the room is")
	require.GreaterOrEqual(t, b, int32(4), "nobody loses what it has")
}

func keptForWantOfRoom(t *testing.T, w *world, r *repository) {
	a, b := w.replicas()
	sha := r.push("far too many replicas", "web.yaml", web(200))
	w.condition(r, sha, v1alpha1.Scheduled, metav1.ConditionFalse, "Unschedulable")
	w.applied(r, sha)
	w.eventually("the FederatedObject to say so", func() error {
		o, err := w.federated(r, "web")
		if err != nil {
			return err
		}
		scheduled := apimeta.FindStatusCondition(o.Status.Conditions, v1alpha1.Scheduled)
		return unless(o.Spec.PlacementRetained && o.Spec.Message != "" && scheduled != nil && scheduled.Reason == "Unschedulable" &&
			!apimeta.IsStatusConditionTrue(o.Status.Conditions, "Ready"), fmt.Sprintf("%+v", o))
	})
	stillA, stillB := w.replicas()
	require.Equal(t, [2]int32{a, b}, [2]int32{stillA, stillB}, "what runs stays")

	w.restart(func() { // a node of the highest grade counts for 110 pods
		w.node("cluster-b", "huge-1", "1024", "4Ti")
		w.node("cluster-b", "huge-2", "1024", "4Ti")
	})
	w.condition(r, sha, v1alpha1.Scheduled, metav1.ConditionTrue, "")
	w.applied(r, sha)
	nowA, nowB := w.replicas()
	require.EqualValues(t, 200, nowA+nowB)
	require.GreaterOrEqual(t, nowA, a, "after a restart, too, nobody loses what it has")
	require.GreaterOrEqual(t, nowB, b)
}

func placedWhereServed(t *testing.T, w *world, r *repository) {
	sha := r.push("a boat", "boat.yaml", "apiVersion: facts.example.com/v1\nkind: Boat\nmetadata: {namespace: shop, name: boat}\n", "boat-policy.yaml", `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: boats}
spec:
  resourceSelectors: [{apiVersion: facts.example.com/v1, kind: Boat}]
  placement: {}
`)
	release := w.condition(r, sha, v1alpha1.Scheduled, metav1.ConditionFalse, "NoClusterFits")
	require.False(t, apimeta.IsStatusConditionTrue(release.Status.Conditions, "Ready"))

	w.restart(func() { w.define("cluster-b") })
	w.condition(r, sha, v1alpha1.Scheduled, metav1.ConditionTrue, "")
	boat := &unstructured.Unstructured{}
	boat.SetAPIVersion("facts.example.com/v1")
	boat.SetKind("Boat")
	w.eventually("the boat to be on cluster-b", func() error { return w.object("cluster-b", boat, "shop", "boat") })
	o, err := w.federated(r, "boat")
	require.NoError(t, err)
	require.Equal(t, []string{"cluster-b"}, o.Spec.Results[0].Clusters)
	w.applied(r, r.push("no boat", "boat.yaml", "", "boat-policy.yaml", ""))
}

// define makes a member serve Boats.
func (w *world) define(cluster string) {
	w.t.Helper()
	keep := true
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "boats.facts.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "facts.example.com", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "boats", Kind: "Boat"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}},
			}},
		},
	}
	scheme := w.members[cluster].Scheme()
	require.NoError(w.t, apiextensionsv1.AddToScheme(scheme))
	require.NoError(w.t, w.members[cluster].Create(w.t.Context(), crd))
	w.eventually("boats to be served", func() error {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion("facts.example.com/v1")
		list.SetKind("BoatList")
		return w.members[cluster].List(w.t.Context(), list)
	})
}

// dependent is a policy that sends the ConfigMap of the volume along.
func dependent(more string) string {
	return `apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {namespace: shop, name: dependent}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: reader}]
  placement: {clusterAffinity: {clusterNames: [cluster-a]}}
` + more
}

const reader = `apiVersion: apps/v1
kind: Deployment
metadata: {namespace: shop, name: reader}
spec:
  selector: {matchLabels: {app: reader}}
  template:
    metadata: {labels: {app: reader}}
    spec:
      volumes: [{name: settings, configMap: {name: settings}}]
      containers: [{name: reader, image: "nginx:1.27"}]
`

func dependencyFollows(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("a Deployment with its ConfigMap", "other-policy.yaml", "", "reader.yaml", reader, "settings.yaml", configMap("settings", "1"), "dependent.yaml", dependent("")))
	require.Equal(t, "1", w.configMap("cluster-a", "settings").Data["key"])
	require.True(t, w.absent("cluster-b", "settings"), "it goes where it is needed")
	o, err := w.federated(r, "settings")
	require.NoError(t, err)
	require.Empty(t, o.Spec.Policy)
	require.Equal(t, []v1alpha1.Requirement{{Object: "apps/Deployment shop/reader", Clusters: []string{"cluster-a"}}}, o.Spec.RequiredBy)

	marker := strings.Replace(policyFor("marker", []string{"cluster-a"}, ""), "kind: ConfigMap", "kind: ConfigMap\n    name: marker", 1)
	r.push("held and changed, and another object that is not", "settings.yaml", configMap("settings", "2"),
		"dependent.yaml", dependent("  suspension: {dispatchingOnClusters: {clusterNames: [cluster-a]}}\n"),
		"marker.yaml", configMap("marker", "1"), "marker-policy.yaml", marker)
	w.eventually("the ConfigMap to be held", func() error {
		o, err := w.federated(r, "settings")
		if err != nil {
			return err
		}
		return unless(len(o.Spec.Held) == 1 && o.Status.Summary.Held == 1, fmt.Sprintf("%+v", o))
	})
	w.eventually("the other object to be there", func() error { return unless(!w.absent("cluster-a", "marker"), "it is not there") })
	require.Equal(t, "1", w.configMap("cluster-a", "settings").Data["key"], "hands off means the whole of it")

	w.applied(r, r.push("no longer held", "dependent.yaml", dependent("")))
	require.Equal(t, "2", w.configMap("cluster-a", "settings").Data["key"])
	w.applied(r, r.push("nobody needs it", "reader.yaml", "", "dependent.yaml", ""))
	w.eventually("the ConfigMap to go", func() error { return unless(w.absent("cluster-a", "settings"), "it is there") })
}

// automaticTaints waits until a cluster has automatic taints with these effects, each with the time of its addition.
func (w *world) automaticTaints(cluster string, effects ...corev1.TaintEffect) {
	w.t.Helper()
	key := v1alpha1.TaintNotReady
	if *mode == "pull" {
		key = v1alpha1.TaintUnreachable // the hub does not know more
	}
	w.eventually(fmt.Sprintf("the automatic taints of %s to be %v", cluster, effects), func() error {
		var got []corev1.TaintEffect
		for _, t := range w.cluster(cluster).Status.Taints {
			if t.Key == key && t.TimeAdded != nil {
				got = append(got, t.Effect)
			}
		}
		return unless(slices.Equal(got, effects), fmt.Sprint(got))
	})
}

// notReady: new objects do not go to a cluster that does not answer, and its own stay, until it is Ready again.
func notReady(t *testing.T, w *world, r *repository) {
	w.applied(r, r.push("an object on both clusters", "before.yaml", configMap("before", "1"), "health.yaml",
		policyOf("before", "clusterNames: [cluster-a, cluster-b]")+"---\n"+policyOf("during", "clusterNames: [cluster-a, cluster-b]")))
	uid := w.configMap("cluster-b", "before").UID
	w.cables["cluster-b"].setCut(true)
	w.lost("cluster-b")
	w.automaticTaints("cluster-b", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)
	sha := r.push("another one, and a new version", "before.yaml", configMap("before", "2"), "during.yaml", configMap("during", "1"))
	decided := func(name string, clusters ...string) {
		w.eventually(fmt.Sprintf("%s to be decided for %v", name, clusters), func() error {
			o, err := w.federated(r, name)
			if err != nil {
				return err
			}
			var got []string
			for _, c := range o.Status.Clusters {
				got = append(got, c.Cluster)
			}
			slices.Sort(got)
			return unless(slices.Equal(got, clusters), fmt.Sprint(got))
		})
	}
	decided("during", "cluster-a")
	decided("before", "cluster-a", "cluster-b")
	w.eventually("the object on the cluster that answers", func() error { return unless(!w.absent("cluster-a", "during"), "it is absent") })

	w.cables["cluster-b"].setCut(false)
	w.clusterIs("cluster-b", metav1.ConditionTrue, v1alpha1.ClusterReady)
	w.automaticTaints("cluster-b")
	decided("during", "cluster-a", "cluster-b")
	w.applied(r, sha)
	w.eventually("the object on the cluster that is back", func() error { return unless(!w.absent("cluster-b", "during"), "it is absent") })
	require.Equal(t, "2", w.configMap("cluster-b", "before").Data["key"])
	require.Equal(t, uid, w.configMap("cluster-b", "before").UID, "it was there all the time")
}

// doubted: no cluster gets the taint NoExecute while too many are not Ready, and each has the reason.
func doubted(t *testing.T, w *world, _ *repository) {
	for _, cluster := range both {
		w.cables[cluster].setCut(true)
	}
	blocked := func(cluster string) *metav1.Condition {
		return apimeta.FindStatusCondition(w.cluster(cluster).Status.Conditions, v1alpha1.FailoverBlocked)
	}
	for _, cluster := range both {
		w.eventually("no failover of "+cluster, func() error {
			c := blocked(cluster)
			return unless(c != nil && c.Status == metav1.ConditionTrue && c.Reason == v1alpha1.ManyClustersNotReady && strings.HasPrefix(c.Message, "2 of 2 clusters are not Ready"), fmt.Sprintf("%+v", c))
		})
	}
	w.eventually("the event", func() error {
		return w.toldOf("default", "Cluster", "cluster-b", "Warning FailoverBlocked", 1, "2 of 2 clusters are not Ready")
	})
	for _, cluster := range both {
		w.cables[cluster].setCut(false)
	}
	for _, cluster := range both {
		w.automaticTaints(cluster)
		require.Nil(t, blocked(cluster), "the cluster is Ready")
	}
}

// taintPolicy taints or untaints cluster-b while it is Ready.
func taintPolicy(on string) string {
	return fmt.Sprintf(`apiVersion: policy.karmada.io/v1alpha1
kind: ClusterTaintPolicy
metadata: {name: quarantine}
spec:
  targetClusters: {clusterNames: [cluster-b]}
  %s: [{conditionType: Ready, operator: In, statusValues: ["True"]}]
  taints: [{key: quarantine, effect: NoSchedule}]
`, on)
}

func taintedByPolicy(t *testing.T, w *world, r *repository) {
	taints := func(n int) func() error {
		return func() error {
			c := &v1alpha1.Cluster{}
			if err := w.hub.Get(t.Context(), client.ObjectKey{Name: "cluster-b"}, c); err != nil {
				return err
			}
			return unless(len(c.Status.Taints) == n, fmt.Sprintf("%+v", c.Status.Taints))
		}
	}
	r.push("quarantine", "quarantine.yaml", taintPolicy("addOnConditions"))
	w.eventually("cluster-b to be tainted", taints(1))
	w.applied(r, r.push("a new object, and no policy taints any more", "quarantine.yaml", "",
		"fresh.yaml", configMap("fresh", "1"), "fresh-policy.yaml", policyFor("fresh", both, "")))
	require.Equal(t, "1", w.configMap("cluster-a", "fresh").Data["key"])
	require.True(t, w.absent("cluster-b", "fresh"), "the taint stays until a policy removes it")

	r.push("the end of it", "quarantine.yaml", taintPolicy("removeOnConditions"))
	w.eventually("the taint to be removed", taints(0))
	w.eventually("the object to be on cluster-b", func() error { return unless(!w.absent("cluster-b", "fresh"), "it is not there") })
}

func skipped(t *testing.T, w *world, r *repository) {
	change := func(what func(*v1alpha1.FederationSpec)) {
		w.eventually("the Federation to be changed", func() error {
			fed := w.declared(r)
			what(&fed.Spec)
			if err := w.hub.Update(t.Context(), fed); !apierrors.IsConflict(err) {
				require.NoError(t, err)
				return nil
			}
			return fmt.Errorf("somebody else wrote to it")
		})
	}
	sha := r.push("nothing new")
	w.applied(r, sha)
	change(func(s *v1alpha1.FederationSpec) { s.SkippedNamespaces = []string{"sh(op"} })
	w.eventually("the Federation to be stalled", func() error {
		fed := w.declared(r)
		stalled := apimeta.FindStatusCondition(fed.Status.Conditions, "Stalled")
		if stalled == nil || stalled.Status != metav1.ConditionTrue || fed.Status.ObservedGeneration != fed.Generation {
			return fmt.Errorf("%+v", fed.Status)
		}
		require.Contains(t, stalled.Message, "skippedNamespaces[0]")
		return nil
	})
	require.False(t, w.absent("cluster-a", "fresh"), "what runs stays")

	change(func(s *v1alpha1.FederationSpec) {
		s.SkippedNamespaces, s.PruneLimits = []string{"shop"}, v1alpha1.PruneLimits{MaxPercent: new(int32(100))}
	})
	r.push("skip the namespace\n\n" + "Accord-Prune: allow") // nothing else is in the plan, and an empty plan is stopped
	w.eventually("nothing of the namespace to be decided", func() error {
		_, err := w.federated(r, "fresh")
		return unless(err != nil, "it is there")
	})
}
