package reconciler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// tenant creates a Tenant that governs one namespace, and removes it at the end of the test.
func (w *world) tenant(name, namespace, spec string) {
	w.t.Helper()
	t := &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name}}
	require.NoError(w.t, yaml.UnmarshalStrict([]byte(spec), &t.Spec))
	t.Spec.Federations.Namespaces = []string{namespace}
	w.create(t)
	w.t.Cleanup(func() { require.NoError(w.t, client.IgnoreNotFound(w.hub.Delete(context.Background(), t.DeepCopy()))) })
}

// permissive allows everything.
const permissive = `{sources: ["**"], clusters: {}, namespaces: ["*"], kinds: {clusterScoped: ["*"]},
  may: [DeclareClusters, HoldClusters, TaintClusters, CustomizeKinds, Overwrite, AllowPrune, DeclareFederations]}`

// in returns the world with another namespace of Federations, which it creates.
func (w *world) in(namespace string) *world {
	w.t.Helper()
	w.create(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	inner := *w
	inner.namespace = namespace
	return &inner
}

// tenantIs waits until a Tenant has a reason of Ready, and returns it.
func (w *world) tenantIs(name, reason string) *v1alpha1.Tenant {
	w.t.Helper()
	t := &v1alpha1.Tenant{}
	w.eventually("Tenant "+name+" to be "+reason, func() error {
		require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKey{Name: name}, t))
		c := apimeta.FindStatusCondition(t.Status.Conditions, "Ready")
		return unless(c != nil && c.Reason == reason && t.Status.ObservedGeneration == t.Generation, fmt.Sprintf("%+v", t.Status))
	})
	return t
}

// hostileTenant: the author of team-b tries to leave his Tenant; team-a goes on delivering.
func hostileTenant(t *testing.T, w *world) {
	w.labelled("cluster-a", "team-a", `"true"`)
	w.labelled("cluster-b", "team-b", `"true"`)
	a, b := w.in("team-a"), w.in("team-b")
	ra, rb := newRepository(t), newRepository(t)
	ra.federation, rb.federation = "tenant-a", "tenant-b"
	w.tenant("demo", "demo", permissive)
	w.tenant("team-a", "team-a", `{sources: ["`+ra.bare+`"], clusters: {matchLabels: {team-a: "true"}}, namespaces: [shop]}`)
	w.tenant("team-b", "team-b", `{sources: ["`+rb.bare+`"], clusters: {matchLabels: {team-b: "true"}}, namespaces: ["shop-b*"], kinds: {denied: ["rbac.authorization.k8s.io/*"]},
  limits: {objects: 5, scripts: 100ms}}`)
	none := func(*v1alpha1.FederationSpec) {}
	a.declare(ra, none)
	b.declare(rb, none)

	// Each team gets the clusters of its Tenant, whatever its policy names.
	release := a.ready(ra, ra.push("a", "app.yaml", configMap("tenant-a", "1"), "policy.yaml", policyFor("tenant-a", both, "")))
	require.EqualValues(t, 1, release.Status.Summary.Total)
	require.True(t, w.absent("cluster-b", "tenant-a"), "cluster-b does not exist for team-a")
	ours := strings.ReplaceAll(configMap("tenant-b", "1"), "namespace: shop", "namespace: shop-b")
	policies := strings.ReplaceAll(policyFor("tenant-b", both, ""), "namespace: shop", "namespace: shop-b")
	good := rb.push("b", "app.yaml", ours, "policy.yaml", policies)
	b.ready(rb, good)
	value := func() string {
		cm := &corev1.ConfigMap{}
		require.NoError(t, w.object("cluster-b", cm, "shop-b", "tenant-b"))
		return cm.Data["key"]
	}
	require.Equal(t, "1", value())
	require.EqualValues(t, 1, w.tenantIs("team-b", "ReconciliationSucceeded").Status.Federations)

	// Production belongs to team-a: neither its Cluster nor one of its namespaces may be read.
	require.Equal(t, "RefusedByTenant", b.refusedLive(&v1alpha1.ClusterSource{Name: "cluster-a", Namespaces: []string{"shop"}, Kinds: []string{"ConfigMap"}}))

	everywhere := strings.NewReplacer("PropagationPolicy", "ClusterPropagationPolicy", "  namespace: shop\n", "").Replace(policyFor("all", both, ""))
	binding := "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: admin, namespace: shop-b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\n"
	before := w.clusters()
	var many []string
	for i := range 6 {
		many = append(many, strings.ReplaceAll(ours, "tenant-b", fmt.Sprintf("tenant-b-%d", i)))
	}
	for i, attack := range []struct {
		name, message, file, text, want string
	}{
		{"a namespace of team-a", "", "bad.yaml", configMap("stolen", "1") + "---\n" + everywhere,
			"bad.yaml:1: Tenant team-b does not allow ConfigMap shop/stolen: namespace shop matches none of spec.namespaces (shop-b*)"},
		{"a denied kind", "", "bad.yaml", binding + "---\n" + strings.NewReplacer("apiVersion: v1\n", "apiVersion: rbac.authorization.k8s.io/v1\n", "kind: ConfigMap", "kind: RoleBinding").Replace(everywhere),
			"Tenant team-b does not allow rbac.authorization.k8s.io/RoleBinding shop-b/admin: spec.kinds.denied has rbac.authorization.k8s.io/*"},
		{"a Cluster", "", "bad.yaml", clusterInGit("cluster-a", "prod", "eu"),
			"Tenant team-b does not allow Cluster cluster-a: it declares a Cluster on the hub, which requires the power DeclareClusters"},
		{"a script", "", "bad.yaml", "apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\nmetadata: {name: cm}\nspec:\n  target: {apiVersion: v1, kind: ConfigMap}\n" +
			"  customizations: {healthInterpretation: {luaScript: \"function InterpretHealth(o) return true end\"}}\n",
			"Tenant team-b does not allow ResourceInterpreterCustomization cm"},
		{"a script that takes long", "", "bad.yaml", "apiVersion: config.karmada.io/v1alpha1\nkind: ResourceInterpreterCustomization\nmetadata: {name: slow}\nspec:\n  target: {apiVersion: v1, kind: ConfigMap}\n" +
			"  customizations: {dependencyInterpretation: {luaScript: \"function GetDependencies(o) for i = 1, 2^22 do end return {} end\"}}\n",
			"Tenant team-b does not allow ResourceInterpreterCustomization slow: the scripts of the revision take longer than 100ms for one plan"},
		{"objects of others", "", "policy.yaml", policies + "  conflictResolution: Overwrite\n",
			"Tenant team-b does not allow ConfigMap shop-b/tenant-b: it takes over existing objects (conflictResolution: Overwrite), which requires the power Overwrite"},
		{"the prune limits", "\n\nAccord-Prune: allow", "bad.yaml", "# still nothing\n",
			`Tenant team-b does not allow the commit: it has the trailer "Accord-Prune: allow", which requires the power AllowPrune`},
		{"more objects than allowed", "", "bad.yaml", strings.Join(many, "---\n"),
			"Tenant team-b does not allow the sources: bad.yaml: the manifests up to this file have more than 5 objects"},
	} {
		t.Log(attack.name)
		bad := rb.push(attack.name+attack.message, "app.yaml", strings.ReplaceAll(ours, `"1"`, `"taken"`), attack.file, attack.text)
		release := b.condition(rb, bad, "Ready", metav1.ConditionFalse, "RefusedByTenant")
		require.Contains(t, strings.Join(release.Status.Errors, "\n"), attack.want)
		require.True(t, apimeta.IsStatusConditionTrue(release.Status.Conditions, "Stalled"))
		b.federationIs(rb, "Ready", metav1.ConditionFalse, "RefusedByTenant")
		require.Equal(t, "1", value(), "nothing is written")
		w.asBefore(before, attack.name)
		w.eventually("the event", func() error { return b.told(rb, "Federation", "Warning RefusedByTenant", i+1) })
		b.ready(rb, rb.push("harmless again", "app.yaml", ours, "policy.yaml", policies, "bad.yaml", "# nothing\n"))
	}
	require.True(t, w.absent("cluster-b", "stolen"))

	// Another repository is refused before it is read.
	b.patch(rb, func(fed *v1alpha1.Federation) { fed.Spec.Sources[0].URL = ra.bare })
	b.federationIs(rb, "Ready", metav1.ConditionFalse, "RefusedByTenant")
	require.Contains(t, b.declared(rb).Status.Message, "refused before the sources are read")
	w.eventually("the event about the source", func() error {
		list := []string{`Tenant team-b does not allow source "main"`}
		return b.told(rb, "Federation", "Warning RefusedByTenant: refused before", 1, list...)
	})
	b.patch(rb, func(fed *v1alpha1.Federation) { fed.Spec.Sources[0].URL = rb.bare })
	b.federationIs(rb, "Ready", metav1.ConditionTrue, "")

	// A Federation of team-a, which exists, tells nothing to one that depends on it.
	b.patch(rb, func(fed *v1alpha1.Federation) {
		fed.Spec.DependsOn = []v1alpha1.FederationReference{{Namespace: "team-a", Name: "tenant-a"}}
	})
	waits := rb.push("behind team-a", "app.yaml", strings.ReplaceAll(ours, `"1"`, `"2"`))
	b.federationIs(rb, "Ready", metav1.ConditionFalse, "DependencyForbidden")
	require.Contains(t, apimeta.FindStatusCondition(b.declared(rb).Status.Conditions, "Ready").Message, "a Federation may depend only on those of its own Tenant")
	require.Equal(t, "1", value())
	b.patch(rb, func(fed *v1alpha1.Federation) { fed.Spec.DependsOn = nil })
	b.ready(rb, waits)
	b.ready(rb, rb.push("as before", "app.yaml", ours))

	// A Federation without a Tenant is refused, and one with two.
	c := w.in("team-c")
	rc := newRepository(t)
	rc.federation = "tenant-c"
	c.declare(rc, none)
	c.federationIs(rc, "Ready", metav1.ConditionFalse, "RefusedByTenant")
	require.Contains(t, apimeta.FindStatusCondition(c.declared(rc).Status.Conditions, "Ready").Message, "no Tenant governs Federation team-c/tenant-c")
	w.tenant("also-b", "team-b", permissive)
	b.federationIs(rb, "Ready", metav1.ConditionFalse, "RefusedByTenant")
	require.Contains(t, apimeta.FindStatusCondition(b.declared(rb).Status.Conditions, "Ready").Message, "Tenants also-b and team-b govern Federation team-b/tenant-b")
	w.tenantIs("also-b", "Conflict")
	w.tenantIs("team-b", "Conflict")
	require.NoError(t, w.hub.Delete(t.Context(), &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "also-b"}}))
	b.federationIs(rb, "Ready", metav1.ConditionTrue, "")
	w.tenantIs("team-b", "ReconciliationSucceeded")

	// A narrower Tenant stops what it forbids, and the clusters keep their objects.
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"namespaces":["elsewhere"]}}`))
	require.NoError(t, w.hub.Patch(t.Context(), &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "team-b"}}, patch))
	b.federationIs(rb, "Ready", metav1.ConditionFalse, "RefusedByTenant")
	require.Equal(t, "1", value())
	a.ready(ra, ra.push("a goes on", "app.yaml", configMap("tenant-a", "2")))
	for r, x := range map[*repository]*world{ra: a, rb: b, rc: c} {
		require.NoError(t, w.hub.Delete(t.Context(), x.declared(r)))
	}
}

// refusedLive declares a Federation with a live cluster as source, and returns the reason of Ready.
func (w *world) refusedLive(live *v1alpha1.ClusterSource) (reason string) {
	w.t.Helper()
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "stolen"}}
	fed.Spec = v1alpha1.FederationSpec{Prune: true, Sources: []v1alpha1.Source{{Name: "prod", Cluster: live}}}
	w.create(fed)
	w.eventually("the Federation to have a reason", func() error {
		require.NoError(w.t, w.hub.Get(w.t.Context(), client.ObjectKeyFromObject(fed), fed))
		c := apimeta.FindStatusCondition(fed.Status.Conditions, "Ready")
		reason = c.Reason
		return unless(c.Status == metav1.ConditionFalse, c.Message)
	})
	require.NoError(w.t, w.hub.Delete(w.t.Context(), fed))
	return reason
}
