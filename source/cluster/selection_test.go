package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/discovery"
)

func selection(t *testing.T, text string) Selection {
	t.Helper()
	source := &v1alpha1.ClusterSource{}
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), source))
	s, err := NewSelection(source)
	require.NoError(t, err)
	return s
}

func apis(unavailable ...string) discovery.APIs {
	group := func(gv, scope string, kinds ...string) v1alpha1.APIEnablement {
		e := v1alpha1.APIEnablement{GroupVersion: gv}
		for _, kind := range kinds {
			e.Resources = append(e.Resources, v1alpha1.APIResource{Kind: kind, Name: kind + "-plural", Scope: scope})
		}
		return e
	}
	return discovery.APIs{Unavailable: unavailable, Enablements: []v1alpha1.APIEnablement{
		group("v1", "Namespaced", "ConfigMap", "Secret", "Service"), group("v1", "Cluster", "Namespace"),
		group("apps/v1", "Namespaced", "Deployment", "ControllerRevision"), group("apps/v1beta1", "Namespaced", "Deployment"),
		group("policy.karmada.io/v1alpha1", "Namespaced", "PropagationPolicy"), group("policy.karmada.io/v1alpha1", "Cluster", "ClusterPropagationPolicy"),
	}}
}

// TestScopes: each watch reads as little as the selection allows.
func TestScopes(t *testing.T) {
	for name, x := range map[string]struct {
		source string
		want   string
	}{
		"all namespaces, without those of Kubernetes and excluded ones": {"{name: prod, kinds: [Service, apps/*], exclude: {namespaces: [velero, 'test-*']}}", `
- Fields: metadata.namespace!=kube-system,metadata.namespace!=kube-public,metadata.namespace!=kube-node-lease,metadata.namespace!=velero
  Kinds: [{Group: "", Version: v1, Kind: Service}, {Group: apps, Version: v1, Kind: Deployment}]
`},
		"one namespace, and a kind without namespace": {"{name: prod, namespaces: [shop], kinds: [Service, Namespace]}", `
- Namespace: shop
  Kinds: [{Group: "", Version: v1, Kind: Service}]
- Kinds: [{Group: "", Version: v1, Kind: Namespace}]
`},
		"policies have no labels of the workloads": {"{name: prod, namespaces: [shop], kinds: [Service, policy.karmada.io/*], labelSelector: {matchLabels: {dr: 'true'}}}", `
- Namespace: shop
  Kinds: [{Group: policy.karmada.io, Version: v1alpha1, Kind: PropagationPolicy}]
- Namespace: shop
  Labels: dr=true
  Kinds: [{Group: "", Version: v1, Kind: Service}]
- Kinds: [{Group: policy.karmada.io, Version: v1alpha1, Kind: ClusterPropagationPolicy}]
`},
		"an excluded kind": {"{name: prod, namespaces: [shop], kinds: [Service, ConfigMap], exclude: {kinds: [ConfigMap]}}", `
- Namespace: shop
  Kinds: [{Group: "", Version: v1, Kind: Service}]
`},
	} {
		t.Run(name, func(t *testing.T) {
			scopes, err := selection(t, x.source).Scopes(apis())
			require.NoError(t, err)
			var want []Scope
			require.NoError(t, yaml.Unmarshal([]byte(x.want), &want))
			for i := range want {
				want[i].Required = true
			}
			for i := range scopes {
				scopes[i].Resources = nil
			}
			require.Equal(t, want, scopes)
		})
	}
}

// TestSecretsAreReadOnlyByName: neither the default nor a pattern selects Secrets.
func TestSecretsAreReadOnlyByName(t *testing.T) {
	secret := schema.GroupKind{Kind: "Secret"}
	require.False(t, selection(t, "{name: prod}").hasKind(secret))
	require.False(t, selection(t, "{name: prod, kinds: [ConfigMap, apps/*, policy.karmada.io/*]}").hasKind(secret))
	require.True(t, selection(t, "{name: prod, kinds: [Secret]}").hasKind(secret))
}

func TestKindsThatAreNotServed(t *testing.T) {
	_, err := selection(t, "{name: prod, kinds: [ConfigMap, example.com/Gadget]}").Scopes(apis())
	require.EqualError(t, err, "kinds: the cluster does not serve example.com/Gadget: remove it from kinds, or install its CustomResourceDefinition there")
	_, err = selection(t, "{name: prod, kinds: [example.com/*]}").Scopes(apis("example.com/v1"))
	require.EqualError(t, err, "kinds: the API server of example.com/v1 does not answer, so example.com/* cannot be read")
}

func TestObjects(t *testing.T) {
	s := selection(t, "{name: prod, exclude: {namespaces: ['test-*'], labelSelector: {matchLabels: {dr: 'no'}}}}")
	for text, want := range map[string]string{
		"{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a, uid: '1', resourceVersion: '7'}, data: {a: <b>}, status: {}}": "shop/ConfigMap/a.json",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: web}}":                                                     "shop/Deployment.apps/web.json",
		"{apiVersion: v1, kind: Namespace, metadata: {name: shop}}":                                                                           "_cluster/Namespace/shop.json",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {namespace: shop, name: .hidden}}":                                  "shop/Role.rbac.authorization.k8s.io/%2Ehidden.json",
		"{apiVersion: v1, kind: ConfigMap, metadata: {namespace: test-1, name: a}}":                                                           "",
		"{apiVersion: v1, kind: Namespace, metadata: {name: test-1}}":                                                                         "",
		"{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: a, labels: {dr: 'no'}}}":                                         "",
		"{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: kube-root-ca.crt}}":                                              "",
	} {
		u := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
		f, err := s.read(u)
		require.NoError(t, err)
		if want == "" {
			require.Nil(t, f, text)
			continue
		}
		require.Equal(t, want, f.path)
		require.NotContains(t, string(f.content), "resourceVersion")
		if u.GetName() == "a" {
			require.Equal(t, "{\n \"apiVersion\": \"v1\",\n \"data\": {\n  \"a\": \"<b>\"\n },\n \"kind\": \"ConfigMap\",\n \"metadata\": {\n  \"name\": \"a\",\n  \"namespace\": \"shop\"\n }\n}\n", string(f.content))
		}
	}
}

func TestRights(t *testing.T) {
	scopes, err := selection(t, "{name: prod, namespaces: [shop], kinds: [Service, ConfigMap, Namespace]}").Scopes(apis())
	require.NoError(t, err)
	rights := Rights(scopes).Objects("accord-read", rbacv1.Subject{Kind: "ServiceAccount", Namespace: "accord-system", Name: "reader"})
	require.Len(t, rights, 4)
	require.Equal(t, []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"Namespace-plural"}, Verbs: []string{"get", "list", "watch"}}}, rights[0].(*rbacv1.ClusterRole).Rules)
	role := rights[2].(*rbacv1.Role)
	require.Equal(t, metav1.ObjectMeta{Name: "accord-read", Namespace: "shop"}, role.ObjectMeta)
	require.Equal(t, []string{"ConfigMap-plural", "Service-plural"}, role.Rules[0].Resources)
}
