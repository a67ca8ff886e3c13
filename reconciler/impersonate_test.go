package reconciler_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/applyset"
)

// onMember creates or updates an object of a member, as its administrator.
func (w *world) onMember(cluster string, obj client.Object) {
	w.t.Helper()
	err := w.members[cluster].Create(w.t.Context(), obj)
	if client.IgnoreAlreadyExists(err) == nil && err != nil {
		obj.SetResourceVersion("")
		err = w.members[cluster].Update(w.t.Context(), obj)
	}
	require.NoError(w.t, err)
}

// role grants an account of a member rights in one namespace.
func (w *world) role(cluster, namespace, name string, subject rbacv1.Subject, rule rbacv1.PolicyRule) {
	w.t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: name}
	w.onMember(cluster, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{rule}})
	w.onMember(cluster, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}, Subjects: []rbacv1.Subject{subject}})
}

// mayWrite lets the ServiceAccount team-accounts/<team> write ConfigMaps in namespace <team> of cluster-a.
func (w *world) mayWrite(team string, verbs ...string) {
	w.t.Helper()
	w.role("cluster-a", team, "deployer", rbacv1.Subject{Kind: "ServiceAccount", Namespace: "team-accounts", Name: team},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: verbs})
}

// hostileAccounts: two teams deliver to one cluster, each with its own account. The author of team i-a writes to the namespace of i-b,
// which the Tenant allows and the API server of the member does not.
func hostileAccounts(t *testing.T, w *world) {
	for _, namespace := range []string{"i-a", "i-b", "team-accounts"} {
		w.onMember("cluster-a", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	}
	repositories, worlds := map[string]*repository{}, map[string]*world{}
	w.tenant("demo", "demo", permissive)
	for _, team := range []string{"i-a", "i-b"} {
		worlds[team], repositories[team] = w.in(team), newRepository(t)
		repositories[team].federation = team
		w.tenant(team, team, strings.Replace(permissive, "{", "{impersonate: {namespace: team-accounts, serviceAccount: "+team+"}, ", 1))
		worlds[team].declare(repositories[team], func(*v1alpha1.FederationSpec) {})
		w.mayWrite(team, "get", "create", "patch", "delete")
	}
	a, ra, b, rb := worlds["i-a"], repositories["i-a"], worlds["i-b"], repositories["i-b"]
	in := func(namespace, text string) string {
		return strings.ReplaceAll(text, "namespace: shop", "namespace: "+namespace)
	}
	object := func(namespace, name string) (*corev1.ConfigMap, error) {
		cm := &corev1.ConfigMap{}
		return cm, w.object("cluster-a", cm, namespace, name)
	}
	onA := []string{"cluster-a"}

	// Without the right to impersonate the account accord writes nothing, and names the missing right.
	first := ra.push("first", "app.yaml", in("i-a", configMap("one", "1")), "policy.yaml", in("i-a", policyFor("a", onA, "")))
	missing := "Tenant i-a: accord (system:serviceaccount:accord-system:accord) may not impersonate its ServiceAccount team-accounts/i-a"
	release := a.condition(ra, first, "DryRunSucceeded", metav1.ConditionFalse, "Forbidden")
	require.Contains(t, fmt.Sprint(release.Status.Conditions), "reading the live object: "+missing+`; "accord join --impersonate team-accounts/i-a" allows it`)
	_, err := object("i-a", "one")
	require.Error(t, err)
	mayImpersonate := func(accounts ...string) {
		w.role("cluster-a", "team-accounts", "accord", rbacv1.Subject{Kind: "ServiceAccount", Namespace: applyset.InventoryNamespace, Name: "accord"},
			rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: accounts, Verbs: []string{"impersonate"}})
	}
	mayImpersonate("i-a", "i-b")
	a.ready(ra, first)
	_, err = object("i-a", "one")
	require.NoError(t, err)

	// The namespace of i-b: the Tenant allows it, accord's own account may write there, and the account of the Tenant may not.
	connections := w.cables["cluster-a"].accepted()
	stolen := ra.push("the namespace of i-b", "bad.yaml", in("i-b", configMap("stolen", "1"))+"---\n"+in("i-b", policyFor("b", onA, "")))
	release = a.condition(ra, stolen, "DryRunSucceeded", metav1.ConditionFalse, "Forbidden")
	require.Contains(t, fmt.Sprint(release.Status.Conditions), `Tenant i-a: its ServiceAccount team-accounts/i-a may not get configmaps "stolen" in namespace i-b; to allow it, bind the ServiceAccount to a Role of that namespace with the verb `)
	require.Contains(t, fmt.Sprint(release.Status.Conditions), "cluster-a refuses ConfigMap i-b/stolen")
	_, err = object("i-b", "stolen")
	require.Error(t, err, "nothing is written")

	// The account of i-b writes there, on the connection that i-a uses.
	b.ready(rb, rb.push("b", "app.yaml", in("i-b", configMap("two", "1")), "policy.yaml", in("i-b", policyFor("b", onA, ""))))
	two, err := object("i-b", "two")
	require.NoError(t, err)
	require.Equal(t, connections, w.cables["cluster-a"].accepted(), "a further account opens no connection")

	// Another account rewrites nothing, and counts for the next write.
	a.ready(ra, ra.push("harmless again", "bad.yaml", "# nothing\n", "more.yaml", in("i-a", configMap("more", "1"))))
	patch := func(tenant, account string) {
		body := `{"spec":{"impersonate":{"namespace":"team-accounts","serviceAccount":"` + account + `"}}}`
		require.NoError(t, w.hub.Patch(t.Context(), &v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: tenant}}, client.RawPatch(types.MergePatchType, []byte(body))))
	}
	patch("i-b", "i-a")
	time.Sleep(2 * time.Second) // two intervals of the Federation
	again, err := object("i-b", "two")
	require.NoError(t, err)
	require.Equal(t, two.ResourceVersion, again.ResourceVersion)
	next := rb.push("b again", "app.yaml", in("i-b", configMap("two", "2")))
	release = b.condition(rb, next, "DryRunSucceeded", metav1.ConditionFalse, "Forbidden")
	require.Contains(t, fmt.Sprint(release.Status.Conditions), `Tenant i-b: its ServiceAccount team-accounts/i-a may not patch configmaps "two" in namespace i-b; to allow it, bind the ServiceAccount to a Role of that namespace with the verb `)
	patch("i-b", "i-b")
	b.ready(rb, next)

	// Without the right to impersonate, accord repairs nothing with its own account.
	mayImpersonate("i-b")
	one, err := object("i-a", "one")
	require.NoError(t, err)
	one.Data["key"] = "drift"
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), one))
	deliveryHas := func(sentence string) {
		w.eventually(sentence, func() error {
			text := fmt.Sprint(a.delivery(ra, "cluster-a").Status)
			return unless(strings.Contains(text, sentence), text)
		})
	}
	deliveryHas(missing + " on cluster cluster-a")
	one, err = object("i-a", "one")
	require.NoError(t, err)
	require.Equal(t, "drift", one.Data["key"])
	mayImpersonate("i-a", "i-b")
	w.eventually("the repair", func() error {
		one, err := object("i-a", "one")
		require.NoError(t, err)
		return unless(one.Data["key"] == "1", one.Data["key"])
	})

	// An account that lost the right to delete keeps the object, and the Release names the right.
	w.mayWrite("i-a", "get", "create", "patch")
	pruned := ra.push("remove one", "more.yaml", "# nothing\n")
	a.condition(ra, pruned, "Ready", metav1.ConditionFalse, "")
	deliveryHas(`pruning: Tenant i-a: its ServiceAccount team-accounts/i-a may not delete configmaps "more" in namespace i-a on cluster cluster-a`)
	_, err = object("i-a", "more")
	require.NoError(t, err)
	w.mayWrite("i-a", "get", "create", "patch", "delete")
	a.ready(ra, pruned)
	w.eventually("the object to go", func() error {
		_, err := object("i-a", "more")
		return unless(err != nil, "it is there")
	})
	require.NoError(t, w.hub.Delete(t.Context(), a.declared(ra)))
	require.NoError(t, w.hub.Delete(t.Context(), b.declared(rb)))
}
