package tenancy_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/tenancy"
)

// TestHostileLiveCluster: what is known only when a live cluster is read keeps the rules, too.
func TestHostileLiveCluster(t *testing.T) {
	tenant := v1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}, Spec: v1alpha1.TenantSpec{
		Federations: v1alpha1.TenantFederations{Namespaces: []string{"team-a"}}, Sources: []string{"https://prod-a.example:6443", "cluster://prod"},
		Clusters: metav1.LabelSelector{MatchLabels: map[string]string{"team-a": "true"}}, Namespaces: []string{"team-a-*"},
		Kinds: v1alpha1.TenantKinds{ClusterScoped: []string{"Namespace"}, Denied: []string{"Secret"}},
	}}
	rules, refused := tenancy.Of([]v1alpha1.Tenant{tenant}, "team-a/shop", true)
	require.Nil(t, refused)
	source := v1alpha1.Source{Name: "prod", Cluster: &v1alpha1.ClusterSource{Name: "prod"}}

	require.NoError(t, rules.ReadsServer(source, "https://PROD-A.example:6443"))
	require.EqualError(t, rules.ReadsServer(source, "https://prod-b.example:6443"),
		`Tenant team-a does not allow source "prod": https://prod-b.example:6443 matches none of spec.sources (https://prod-a.example:6443, cluster://prod): use another source, or ask an administrator to add "https://prod-b.example:6443" to spec.sources of the Tenant`)
	labelled := func(labels map[string]string) *v1alpha1.Cluster {
		return &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "prod", Labels: labels}}
	}
	require.NoError(t, rules.ReadsCluster(source, labelled(map[string]string{"team-a": "true"})))
	require.ErrorContains(t, rules.ReadsCluster(source, labelled(nil)), "spec.clusters does not select Cluster prod")

	require.NoError(t, rules.ReadsKind(source, schema.GroupKind{Kind: "ConfigMap"}, true))
	require.NoError(t, rules.ReadsKind(source, schema.GroupKind{Kind: "Namespace"}, false))
	require.ErrorContains(t, rules.ReadsKind(source, schema.GroupKind{Kind: "Secret"}, true), `it reads Secret, which "Secret" denies`)
	require.ErrorContains(t, rules.ReadsKind(source, schema.GroupKind{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}, false), "which has no namespace and is not in spec.kinds.clusterScoped")

	var none *tenancy.Rules
	require.NoError(t, none.ReadsServer(source, "https://prod-b.example"))
	require.NoError(t, none.ReadsCluster(source, labelled(nil)))
	require.NoError(t, none.ReadsKind(source, schema.GroupKind{Kind: "Secret"}, true))
}
