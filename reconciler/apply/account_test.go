package apply

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/apply/live"
)

// allow lets the ServiceAccount NS/deployer send requests with these verbs about ConfigMaps in NS.
func (w *world) allow(verbs string) {
	w.Helper()
	role := "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: deployer, namespace: NS}\nrules: [{apiGroups: [\"\"], resources: [configmaps], verbs: [" + verbs + "]}]\n"
	if w.get("Role", w.namespace, "deployer") != nil {
		w.remove("Role", "deployer")
	}
	w.create(role)
}

// TestHostileAccount: the API server of the member decides about every write of a Tenant; accord writes its inventory itself.
func TestHostileAccount(t *testing.T) {
	w := newWorld(t, "accounts")
	w.create("apiVersion: v1\nkind: Namespace\nmetadata: {name: NS}\n")
	w.allow("get, create, patch, delete")
	w.create("apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: deployer, namespace: NS}\n" +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: deployer}\nsubjects: [{kind: ServiceAccount, namespace: NS, name: deployer}]\n")
	w.options.Account = tenancy.Account{Tenant: "team-a", Namespace: w.namespace, Name: "deployer"}
	user := "system:serviceaccount:accounts:deployer"
	var mu sync.Mutex
	writers := map[string]bool{}
	w.meanwhile = func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		as := r.Header.Get("Impersonate-User")
		if inventory := strings.Contains(r.URL.Path, applyset.InventoryNamespace); r.Method != http.MethodGet {
			require.Equal(t, inventory, as == "", r.URL.Path)
			writers[as] = true
		}
	}
	planned := func(text string) propagate.ClusterPlan {
		target := w.target(namespaceYAML + text)
		target.Objects[0].Implied = true
		return target
	}
	five := configMap("one", "1") + configMap("two", "2") + configMap("three", "3") + configMap("four", "4") + configMap("five", "5")
	outcome := w.delivered(planned(five))
	require.Len(t, outcome.Applied, 5, "the account may not list ConfigMaps, and may read each")
	require.Len(t, outcome.Shared, 1, "the account may not change the namespace, and need not")
	require.Equal(t, map[string]bool{"": true, user: true}, writers)

	elsewhere := strings.ReplaceAll(configMap("stolen", "1"), "namespace: NS", "namespace: default")
	denied := `Tenant team-a: its ServiceAccount accounts/deployer may not get configmaps "stolen" in namespace default on cluster member; ` +
		"to allow it, bind the ServiceAccount to a Role of that namespace with the verb get"
	outcome = w.deliver(planned(five + elsewhere))
	stolen := manifest.ID{Kind: "ConfigMap", Namespace: "default", Name: "stolen"}
	require.Len(t, outcome.Errors, 1)
	require.EqualError(t, outcome.Errors[stolen], "reading the live object: "+denied)
	require.Nil(t, w.get("ConfigMap", "default", "stolen"))
	tried, err := DryRun(t.Context(), w.member, w.federation, planned(five+elsewhere), &w.live, read(w.inventory...), DryRunOptions{Account: w.options.Account})
	require.NoError(t, err)
	require.Equal(t, []live.Rejection{{ID: stolen, Reason: live.Forbidden, Message: "reading the live object: " + strings.Replace(denied, " on cluster member", "", 1)}}, tried.Rejected)

	fresh := strings.ReplaceAll(namespaceYAML, "NS", "accounts-new")
	outcome = w.deliver(planned(five + fresh))
	require.ErrorContains(t, outcome.Errors[manifest.ID{Kind: "Namespace", Name: "accounts-new"}], `may not get namespaces "accounts-new"`)
	require.Nil(t, w.get("Namespace", "", "accounts-new"))

	// An account that lost the right to delete blocks the deletion.
	w.allow("get, create, patch")
	outcome = w.deliver(planned(strings.ReplaceAll(five, configMap("five", "5"), "")))
	require.ErrorContains(t, outcome.Errors[w.id("ConfigMap", "five")], `pruning: Tenant team-a: its ServiceAccount accounts/deployer may not delete configmaps "five" in namespace accounts on cluster member`)
	require.NotNil(t, w.get("ConfigMap", w.namespace, "five"))
	require.Contains(t, outcome.Inventory, w.id("ConfigMap", "five").Entry())

	// Drift is repaired with the account, too.
	w.edit("ConfigMap", "one", func(u *unstructured.Unstructured) { u.Object["data"] = map[string]any{"key": "drift"} })
	w.allow("get, create")
	outcome = w.deliver(planned(five))
	require.ErrorContains(t, outcome.Errors[w.id("ConfigMap", "one")], `may not patch configmaps "one"`)
	w.allow("get, create, patch, delete")
	w.delivered(planned(five))
	require.Equal(t, "1", w.get("ConfigMap", w.namespace, "one").Object["data"].(map[string]any)["key"])
	w.options.AllowPrune = true
	require.Len(t, w.delivered(planned("")).Pruned, 5)
	require.NotNil(t, w.get("Namespace", "", w.namespace))
}
