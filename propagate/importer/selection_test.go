package importer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/internal/leastrole"
	"github.com/accord-dev/accord/propagate/importer"
)

func resource(group, plural, singular, kind string, namespaced bool, short ...string) importer.Resource {
	return importer.Resource{
		GroupVersionResource: schema.GroupVersionResource{Group: group, Version: "v1", Resource: plural},
		APIResource: metav1.APIResource{
			Name: plural, SingularName: singular, Kind: kind, Namespaced: namespaced, ShortNames: short, Verbs: []string{"list", "create", "get"},
		},
	}
}

var (
	deployments  = resource("apps", "deployments", "deployment", "Deployment", true, "deploy")
	clusterRoles = resource("rbac.authorization.k8s.io", "clusterroles", "clusterrole", "ClusterRole", false)
	namespaces   = resource("", "namespaces", "namespace", "Namespace", false, "ns")
	events       = resource("", "events", "event", "Event", true, "ev")
)

func TestSelectedKinds(t *testing.T) {
	reads := func(s importer.Selection) (names []string) {
		require.NoError(t, s.Check())
		for _, r := range []importer.Resource{deployments, clusterRoles, namespaces, events} {
			if s.Reads(r) {
				names = append(names, r.Name)
			}
		}
		return names
	}
	require.Equal(t, []string{"deployments", "clusterroles", "namespaces"}, reads(importer.Selection{}))
	require.Equal(t, []string{"deployments", "namespaces"}, reads(importer.Selection{Namespaces: []string{"shop"}}))
	require.Equal(t, []string{"clusterroles"}, reads(importer.Selection{Namespaces: []string{"shop"}, Kinds: []string{"ClusterRole"}}))
	require.Equal(t, []string{"deployments"}, reads(importer.Selection{Kinds: []string{"deploy"}}))
	require.Equal(t, []string{"deployments"}, reads(importer.Selection{Kinds: []string{"deployments.apps"}}))
	require.Empty(t, reads(importer.Selection{Kinds: []string{"deployments.example.com"}}))
	require.Equal(t, []string{"clusterroles", "namespaces"}, reads(importer.Selection{Exclude: []string{"deployments", "namespaces/a"}}))
	require.Equal(t, []string{"pods"}, importer.Selection{Kinds: []string{"deploy", "pods"}}.Unknown([]importer.Resource{deployments}))

	require.ErrorContains(t, importer.Selection{Exclude: []string{"a/b/c/d"}}.Check(), "is no kind")
	require.ErrorContains(t, importer.Selection{Exclude: []string{"a/["}}.Check(), "is no kind")
	require.ErrorContains(t, importer.Selection{Kinds: []string{"deploy/web"}}.Check(), "--kinds selects kinds, not objects")
	require.ErrorContains(t, importer.Selection{Namespaces: []string{""}}.Check(), "a namespace has no name")
}

func TestSelectedObjects(t *testing.T) {
	web := func(namespace string) manifest.ID {
		return manifest.ID{Group: "apps", Kind: "Deployment", Namespace: namespace, Name: "web"}
	}
	all := importer.Selection{}
	require.True(t, all.Has(deployments, web("shop")))
	require.False(t, all.Has(deployments, web("kube-system")))
	require.False(t, all.Has(namespaces, manifest.ID{Kind: "Namespace", Name: "kube-system"}))
	require.True(t, importer.Selection{Namespaces: []string{"kube-system"}}.Has(deployments, web("kube-system")))
	require.False(t, importer.Selection{Namespaces: []string{"a"}}.Has(deployments, web("shop")))
	for exclude, want := range map[string]bool{
		"namespaces/shop": false, "ns/sh*": false, "namespaces/velero": true, "deploy/web": false, "deploy/w*": false, "deploy/shop/web": false,
		"deploy/other/web": true, "service/web": true,
	} {
		require.Equal(t, want, importer.Selection{Exclude: []string{exclude}}.Has(deployments, web("shop")), exclude)
	}
}

func TestRights(t *testing.T) {
	list := func(group string, resources ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: []string{"list"}}
	}
	all := []importer.Resource{deployments, clusterRoles, namespaces}
	require.Equal(t, leastrole.Rules{
		"": {list("", "namespaces"), list("apps", "deployments"), list("rbac.authorization.k8s.io", "clusterroles")},
	}, importer.Selection{}.Rights(all))
	require.Equal(t, leastrole.Rules{"shop": {
		list("apps", "deployments"), {APIGroups: []string{""}, Resources: []string{"namespaces"}, ResourceNames: []string{"shop"}, Verbs: []string{"get"}},
	}}, importer.Selection{Namespaces: []string{"shop"}}.Rights([]importer.Resource{deployments, namespaces}))
}
