package load

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/dump"
)

const namedObjects = `
-- objects.yaml --
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: blog}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: api, namespace: shop}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: deny, namespace: shop}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}}
---
{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: web, namespace: shop}}
---
{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: fn, namespace: shop}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "system:web"}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cacti.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: Cactus, plural: cacti, shortNames: [cx]}}
---
{apiVersion: example.com/v1, kind: Cactus, metadata: {name: spiky, namespace: shop}}
`

func newFinder(t *testing.T, namespace string) finder {
	in, err := dump.Read([]byte(namedObjects))
	require.NoError(t, err)
	f := finder{kinds: newKindNames(in.Objects), namespace: namespace}
	for _, o := range in.Objects {
		f.ids = append(f.ids, o.ID())
	}
	return f
}

func TestFindObject(t *testing.T) {
	api := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "api"}
	spiky := manifest.ID{Group: "example.com", Kind: "Cactus", Namespace: "shop", Name: "spiky"}
	for _, c := range []struct {
		state, namespace, kind, name string
		want                         manifest.ID
	}{
		{"short name", "", "deploy", "api", api},
		{"singular", "", "deployment", "api", api},
		{"plural", "", "deployments", "api", api},
		{"as in the manifest", "", "Deployment", "api", api},
		{"with its group", "", "deployment.apps", "api", api},
		{"with version and group", "", "deployments.v1.apps", "api", api},
		{"plural of a y", "", "networkpolicies", "deny", manifest.ID{Group: "networking.k8s.io", Kind: "NetworkPolicy", Namespace: "shop", Name: "deny"}},
		{"in its namespace", "blog", "deploy", "web", manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "blog", Name: "web"}},
		{"without a namespace, whichever is asked for", "shop", "clusterrole", "system:web", manifest.ID{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "system:web"}},
		{"of two kinds with this name, the only one there is", "", "svc", "web", manifest.ID{Kind: "Service", Namespace: "shop", Name: "web"}},
		{"of two kinds with this name, by the name of the object", "", "service", "fn", manifest.ID{Group: "serving.knative.dev", Kind: "Service", Namespace: "shop", Name: "fn"}},
		{"of the core group", "", "services.v1.", "web", manifest.ID{Kind: "Service", Namespace: "shop", Name: "web"}},
		{"plural of its definition", "", "cacti", "spiky", spiky},
		{"short name of its definition", "", "cx", "spiky", spiky},
	} {
		t.Run(c.state, func(t *testing.T) {
			id, err := newFinder(t, c.namespace).find(ObjectName{c.kind, c.name})
			require.NoError(t, err)
			require.Equal(t, c.want, id)
		})
	}
}

func TestFindObjectSaysWhatThereIs(t *testing.T) {
	for _, c := range []struct{ state, namespace, kind, name, want string }{
		{"a cluster", "", "cluster", "eu-1", "a Cluster is not delivered to clusters; use --cluster eu-1"},
		{"a policy", "", "pp", "web", `pp/web is a policy, which no cluster gets; name an object that it selects, or use "accord lint" to check the policy`},
		{"kind misspelled", "", "deplyoment", "web", `unknown kind "deplyoment"; did you mean deployment/web? (write a directory as ./deplyoment/web)`},
		{"name misspelled", "", "deploy", "wep", `there is no Deployment "wep"; did you mean "web"?`},
		{"in another namespace", "blog", "deploy", "api", `there is no Deployment "api" in namespace blog; there is one in shop`},
		{"in several namespaces", "", "deploy", "web", `deploy/web is ambiguous: apps/Deployment shop/web, apps/Deployment blog/web; use -n NAMESPACE`},
		{"of several kinds", "", "service", "web", `service/web is ambiguous: Service shop/web, serving.knative.dev/Service shop/web; use KIND.GROUP/NAME`},
		{"none of a built-in kind", "", "cm", "web", `there is no ConfigMap in Git`},
		{"a namespace that has no manifest", "", "ns", "shop", `there is no Namespace "shop" among the manifests; accord creates it on every cluster of an object in it`},
	} {
		t.Run(c.state, func(t *testing.T) {
			_, err := newFinder(t, c.namespace).find(ObjectName{c.kind, c.name})
			require.EqualError(t, err, c.want)
		})
	}
}

func TestSplitArgs(t *testing.T) {
	for _, c := range []struct {
		args    []string
		objects []ObjectName
		dir     string
	}{
		{[]string{"deploy/web"}, []ObjectName{{"deploy", "web"}}, ""},
		{[]string{"deploy/web", "prod"}, []ObjectName{{"deploy", "web"}}, "prod"},
		{[]string{"./deploy/web", "deployment.apps/web", "clusterrole/system:web"}, []ObjectName{{"deployment.apps", "web"}, {"clusterrole", "system:web"}}, "./deploy/web"},
		{[]string{"a/b/c"}, nil, "a/b/c"},
		{[]string{"/srv/prod"}, nil, "/srv/prod"},
		{[]string{"../prod"}, nil, "../prod"},
	} {
		objects, dir, err := SplitArgs(c.args)
		require.NoError(t, err)
		require.Equal(t, c.objects, objects, c.args)
		require.Equal(t, c.dir, dir, c.args)
	}
	_, _, err := SplitArgs([]string{"prod", "staging"})
	require.EqualError(t, err, "at most one directory is allowed, got prod and staging (write an object as KIND/NAME)")
}
