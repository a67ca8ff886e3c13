package v1alpha1_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

// TestDefinitionsOnAnAPIServer asks a real API server what only it can say: whether the definitions are
// accepted, what they default and what they refuse.
func TestDefinitionsOnAnAPIServer(t *testing.T) {
	config := localtest.Start(t, "hub").Config()
	hub := connect(t, config)
	install(t, hub)

	t.Run("every kind answers to kubectl get accord", func(t *testing.T) { answersToCategory(t, config) })
	t.Run("an object nobody reported on is not ready", func(t *testing.T) { startsUnknown(t, hub) })
	t.Run("a FederatedObject is created with its status", func(t *testing.T) { createsWithStatus(t, hub) })
	t.Run("a typed object with defaults left out is accepted", func(t *testing.T) { fillsDefaults(t, hub) })
	t.Run("a bad spec is refused with a reason", func(t *testing.T) { refuses(t, hub) })
	t.Run("a good spec is accepted", func(t *testing.T) { accepts(t, hub) })
}

func connect(t *testing.T, config *rest.Config) client.Client {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	require.NoError(t, apiextensionsv1.AddToScheme(scheme))
	hub, err := client.New(config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	return hub
}

// install creates the definitions and waits until each is served; one that is not structural is never established.
func install(t *testing.T, hub client.Client) {
	crds, err := v1alpha1.CRDs()
	require.NoError(t, err)
	require.Len(t, crds, 9)
	for _, crd := range crds {
		require.NoError(t, hub.Create(t.Context(), crd), crd.Name)
	}
	for _, crd := range crds {
		err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			err := hub.Get(ctx, client.ObjectKeyFromObject(crd), crd)
			return conditionIs(crd, apiextensionsv1.Established, apiextensionsv1.ConditionTrue), err
		})
		require.NoError(t, err, "%s: %v", crd.Name, crd.Status.Conditions)
		require.False(t, conditionIs(crd, apiextensionsv1.NonStructuralSchema, apiextensionsv1.ConditionTrue), crd.Name)
	}
}

func conditionIs(crd *apiextensionsv1.CustomResourceDefinition, kind apiextensionsv1.CustomResourceDefinitionConditionType, want apiextensionsv1.ConditionStatus) bool {
	return slices.ContainsFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == kind && c.Status == want
	})
}

func answersToCategory(t *testing.T, config *rest.Config) {
	asking, err := discovery.NewDiscoveryClientForConfig(config)
	require.NoError(t, err)
	want := map[string][]string{
		"Cluster": {"clu"}, "Delivery": {"dlv"}, "FederatedObject": {"fo"}, "Federation": {"fed"}, "Release": {"rel"},
		"ResourceRegistry": {"rr"}, "Tenant": {"ten"},
	}
	require.EventuallyWithT(t, func(t *assert.CollectT) { // a definition is established a moment before it is listed
		served, err := asking.ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
		require.NoError(t, err)
		short := map[string][]string{}
		for _, resource := range served.APIResources {
			if slices.Contains(resource.Categories, "accord") {
				short[resource.Kind] = resource.ShortNames
			}
		}
		require.Equal(t, want, short)
	}, time.Minute, 50*time.Millisecond)
}

// oneOfEach has the least that each kind accepts.
const oneOfEach = `
apiVersion: accord.dev/v1alpha1
kind: ResourceRegistry
metadata: {name: pods}
spec: {targetCluster: {}, resourceSelectors: [{apiVersion: v1, kind: Pod}]}
---
apiVersion: accord.dev/v1alpha1
kind: Cluster
metadata: {name: eu}
spec: {}
---
apiVersion: accord.dev/v1alpha1
kind: Federation
metadata: {name: prod, namespace: default}
spec: {prune: true, sources: [{name: app, url: "https://git.example.com/app"}]}
---
apiVersion: accord.dev/v1alpha1
kind: Release
metadata: {name: prod-4f2c9e1a0b3c, namespace: default}
spec: {federation: prod, revision: "main@sha1:4f2c", sources: [{name: app, revision: "main@sha1:4f2c"}]}
---
apiVersion: accord.dev/v1alpha1
kind: Delivery
metadata: {name: prod-eu, namespace: default}
spec: {federation: prod, cluster: eu, revision: "main@sha1:4f2c", digest: abc}
---
apiVersion: accord.dev/v1alpha1
kind: FederatedObject
metadata: {name: web, namespace: default}
spec: {federation: prod, template: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: accord.dev/v1alpha1
kind: Tenant
metadata: {name: team-a}
spec: {federations: {namespaces: [team-a]}, sources: ["**"], clusters: {}, namespaces: ["*"]}
`

// startsUnknown is rule 10 of the status contract. Without the default, kstatus calls a fresh object current.
// The condition's own observedGeneration is 0, not -1: the type of Kubernetes' conditions allows none below.
func startsUnknown(t *testing.T, hub client.Client) {
	for _, object := range documents(t, oneOfEach) {
		require.NoError(t, hub.Create(t.Context(), object), object.GetKind())
		require.NoError(t, hub.Get(t.Context(), client.ObjectKeyFromObject(object), object))

		observed, _, err := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
		require.NoError(t, err)
		require.EqualValues(t, -1, observed, object.GetKind())
		conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
		require.NoError(t, err)
		require.Len(t, conditions, 1, object.GetKind())
		ready := conditions[0].(map[string]any)
		require.Equal(t, "Ready", ready["type"], object.GetKind())
		require.Equal(t, "Unknown", ready["status"], object.GetKind())
		require.Less(t, ready["observedGeneration"], object.GetGeneration(), object.GetKind())

		verdict, err := status.Compute(object)
		require.NoError(t, err)
		require.Equal(t, status.InProgressStatus, verdict.Status, object.GetKind())
	}
}

// createsWithStatus: WholeVersion alone keeps the status of a create. Afterwards, writes of v1alpha1 replace spec and status
// as a whole, and neither touches the other.
func createsWithStatus(t *testing.T, hub client.Client) {
	apply := func(version, message string, types ...string) *v1alpha1.FederatedObject {
		applied := &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": "created", "namespace": "default"},
		}}
		applied.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("FederatedObject"))
		applied.SetAPIVersion("accord.dev/" + version)
		var conditions []any
		for _, kind := range types {
			conditions = append(conditions, map[string]any{
				"type": kind, "status": "True", "reason": "Test", "message": "", "lastTransitionTime": "2026-01-02T03:04:05Z", "observedGeneration": int64(1),
			})
		}
		if types != nil {
			applied.Object["status"] = map[string]any{"observedGeneration": int64(1), "conditions": conditions}
		}
		owner, force := client.FieldOwner("accord"), client.ForceOwnership
		if message == "" {
			require.NoError(t, hub.Status().Apply(t.Context(), client.ApplyConfigurationFromUnstructured(applied), owner, force))
		} else {
			template := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "settings"}
			applied.Object["spec"] = map[string]any{"federation": "prod", "template": template, "message": message}
			require.NoError(t, hub.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(applied), owner, force))
		}
		stored := &v1alpha1.FederatedObject{}
		require.NoError(t, hub.Get(t.Context(), client.ObjectKeyFromObject(applied), stored))
		return stored
	}
	typesOf := func(o *v1alpha1.FederatedObject) (all []string) {
		for _, c := range o.Status.Conditions {
			all = append(all, c.Type)
		}
		return all
	}

	o := apply("v1alpha1-whole", "first", "Ready", "Healthy", "Applied")
	require.EqualValues(t, 1, o.Generation)
	require.EqualValues(t, 1, o.Status.ObservedGeneration)
	require.Equal(t, []string{"Ready", "Healthy", "Applied"}, typesOf(o))

	o = apply("v1alpha1", "second")
	require.EqualValues(t, 2, o.Generation)
	require.Equal(t, "second", o.Spec.Message)
	require.Equal(t, []string{"Ready", "Healthy", "Applied"}, typesOf(o), "the status is about the generation before")

	o = apply("v1alpha1", "", "Ready", "Stalled")
	require.EqualValues(t, 2, o.Generation)
	require.Equal(t, "second", o.Spec.Message)
	require.Equal(t, []string{"Ready", "Stalled"}, typesOf(o), "conditions that the create had are gone")

	o = apply("v1alpha1-whole", "third", "Ready")
	require.EqualValues(t, 3, o.Generation, "an object that was there: its status is not about this generation")
	require.NoError(t, hub.Delete(t.Context(), o))
}

func fillsDefaults(t *testing.T, hub client.Client) {
	fed := &v1alpha1.Federation{
		ObjectMeta: metav1.ObjectMeta{Name: "typed", Namespace: "default"},
		Spec:       v1alpha1.FederationSpec{Sources: []v1alpha1.Source{{Name: "app", URL: "https://git.example.com/app"}}},
	}
	require.NoError(t, hub.Create(t.Context(), fed))
	require.NoError(t, hub.Get(t.Context(), client.ObjectKeyFromObject(fed), fed))
	require.Equal(t, time.Minute, fed.Spec.Interval.Duration)
	require.Equal(t, time.Minute, fed.Spec.Sources[0].Timeout.Duration)
	require.EqualValues(t, 50, *fed.Spec.PruneLimits.MaxPercent)
	require.Nil(t, fed.Spec.Failover, "accord evicts nothing by default")
	require.EqualValues(t, -1, fed.Status.ObservedGeneration)

	cluster := &v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "typed"},
		Spec:       v1alpha1.ClusterSpec{Taints: []corev1.Taint{{Key: "new", Effect: corev1.TaintEffectNoSchedule}}},
	}
	require.NoError(t, hub.Create(t.Context(), cluster))
	require.Equal(t, "Push", cluster.Spec.SyncMode)
}

func refuses(t *testing.T, hub client.Client) {
	for name, c := range map[string]struct{ object, want string }{
		"a cluster with an upper-case name": {cluster("Member-1", "{}"), "a lowercase RFC 1123 subdomain"},
		"a cluster with a dot in its name":  {cluster("eu.west", "{}"), "the name of a Cluster is a DNS label of at most 48 characters"},
		"a cluster with a very long name": {
			cluster("c23456789-123456789-123456789-123456789-123456789", "{}"), "the name of a Cluster is a DNS label of at most 48 characters"},
		"a sync mode of no name":                  {cluster("eu2", "{syncMode: Poll}"), `supported values: "Push", "Pull"`},
		"a cluster that pulls, with credentials":  {cluster("eu2", "{syncMode: Pull, secretRef: {namespace: a, name: b}}"), "the hub holds no credentials of a cluster in pull mode"},
		"a cluster with zone and zones":           {cluster("eu2", "{zone: a, zones: [a]}"), "zone is deprecated and excludes zones"},
		"a federation without sources":            {federation("{prune: true, sources: []}"), "should have at least 1 items"},
		"a federation without prune":              {federation("{sources: [{name: app, url: x}]}"), "spec.prune: Required value"},
		"two sources of one name":                 {federation("{prune: true, sources: [{name: app, url: x}, {name: app, url: y}]}"), "Duplicate value"},
		"a source without address":                {federation(`{prune: true, sources: [{name: app, url: ""}]}`), "url in body should be at least 1 chars"},
		"neither a repository nor a cluster":      {federation(`{prune: true, sources: [{name: app}]}`), "set exactly one of url and cluster"},
		"a repository and a cluster":              {federation(`{prune: true, sources: [{name: app, url: x, cluster: {name: prod}}]}`), "set exactly one of url and cluster"},
		"a cluster in two ways":                   {federation(`{prune: true, sources: [{name: app, cluster: {name: prod, inCluster: true}}]}`), "set exactly one of name, secretRef and inCluster"},
		"a cluster in no way":                     {federation(`{prune: true, sources: [{name: app, cluster: {inCluster: false}}]}`), "set exactly one of name, secretRef and inCluster"},
		"a path in a cluster":                     {federation(`{prune: true, sources: [{name: app, path: a, cluster: {name: prod}}]}`), "are for a Git repository: remove them beside cluster"},
		"every kind of a cluster":                 {federation(`{prune: true, sources: [{name: app, cluster: {name: prod, kinds: ["*"]}}]}`), "kinds[0] in body should match"},
		"a path out of the repository":            {federation("{prune: true, sources: [{name: app, url: x, path: a/../../b}]}"), "path stays inside the repository"},
		"a tag and a range":                       {federation(`{prune: true, sources: [{name: app, url: x, ref: {tag: v1, semver: ">=1"}}]}`), "at most one of tag, semver and commit"},
		"a commit cut short":                      {federation("{prune: true, sources: [{name: app, url: x, ref: {commit: 4f2c9e1}}]}"), "commit in body should match"},
		"an interval of no time":                  {federation("{prune: true, interval: 10ms, sources: [{name: app, url: x}]}"), "interval is at least 1s"},
		"an interval that is no time":             {federation("{prune: true, interval: often, sources: [{name: app, url: x}]}"), "interval in body should match"},
		"a brake beyond a hundred":                {federation("{prune: true, pruneLimits: {maxPercent: 101}, sources: [{name: app, url: x}]}"), "less than or equal to 100"},
		"a field that does not exist":             {federation("{prune: true, brake: 1, sources: [{name: app, url: x}]}"), `unknown field "spec.brake"`},
		"a mutation policy of no name":            {federation("{prune: true, mutationPolicy: Ignore, sources: [{name: app, url: x}]}"), "Unsupported value"},
		"a forge that is not known":               {reporting("{provider: bitbucket, secretRef: {name: bot}}"), "Unsupported value"},
		"a report without a token":                {reporting("{provider: github}"), "secretRef: Required value"},
		"an API that is no address":               {reporting("{apiURL: api.github.com, secretRef: {name: bot}}"), "apiURL in body should match"},
		"an instance with a slash":                {reporting("{instance: a/b, secretRef: {name: bot}}"), "instance in body should match"},
		"a target that is a script":               {reporting("{targetURL: \"javascript:x\", secretRef: {name: bot}}"), "targetURL in body should match"},
		"trailers, and not by the author":         {federation("{prune: true, approval: {by: [Annotation, Trailer], notBy: Author}, sources: [{name: app, url: x}]}"), "notBy: Author requires by: [Annotation]"},
		"not by a reviewer":                       {federation("{prune: true, approval: {notBy: Reviewer}, sources: [{name: app, url: x}]}"), "Unsupported value"},
		"a signed tag of a branch":                {federation("{prune: true, sources: [{name: app, url: x, ref: {branch: main}, verify: {mode: Tag, secretRef: {name: s}}}]}"), "verify.mode Tag and TagAndHEAD require ref.tag or ref.semver"},
		"a signature of nobody":                   {federation("{prune: true, sources: [{name: app, url: x, verify: {secretRef: {}}}]}"), "secretRef.name is required"},
		"signers without a Secret":                {federation("{prune: true, sources: [{name: app, url: x, verify: {mode: HEAD}}]}"), "secretRef: Required value"},
		"a tenant of no namespace":                {tenant("{federations: {namespaces: []}, sources: [x], clusters: {}, namespaces: [a]}"), "should have at least 1 items"},
		"a tenant without clusters":               {tenant("{federations: {namespaces: [a]}, sources: [x], namespaces: [a]}"), "spec.clusters: Required value"},
		"a tenant with an unknown power":          {tenant("{federations: {namespaces: [a]}, sources: [x], clusters: {}, namespaces: [a], may: [Everything]}"), "Unsupported value"},
		"a tenant that only holds":                {tenant("{federations: {namespaces: [a]}, sources: [x], clusters: {}, namespaces: [a], may: [HoldClusters]}"), "HoldClusters requires DeclareClusters"},
		"a tenant with a network that is no CIDR": {tenant(`{federations: {namespaces: [a]}, sources: [x], clusters: {}, namespaces: [a], networks: [10.0.0.1]}`), "expected a CIDR such as 10.20.0.0/16"},
		"a tenant as a user of the system":        {tenant(`{federations: {namespaces: [a]}, sources: [x], clusters: {}, namespaces: [a], impersonate: {namespace: "system:", serviceAccount: masters}}`), "impersonate.namespace in body should match"},
		"a tenant without room":                   {tenant("{federations: {namespaces: [a]}, sources: [x], clusters: {}, namespaces: [a], limits: {bytes: \"0\"}}"), "limits.bytes in body should match"},
		"a tenant that reads for no time":         {tenant("{federations: {namespaces: [a]}, sources: [x], clusters: {}, namespaces: [a], limits: {fetchTimeout: 1ms}}"), "fetchTimeout is at least 1s"},
		"failover that does not say whether":      {federation("{prune: true, failover: {stateful: true}, sources: [{name: app, url: x}]}"), "failover.enabled: Required value"},
		"failover of more than all clusters":      {federation("{prune: true, failover: {enabled: true, maxUnreachable: 101%}, sources: [{name: app, url: x}]}"), "maxUnreachable in body should match"},
		"failover in no time":                     {federation("{prune: true, failover: {enabled: true, gracefulEvictionTimeout: 10ms}, sources: [{name: app, url: x}]}"), "gracefulEvictionTimeout is at least 1s"},
		"failover at a negative rate":             {federation(`{prune: true, failover: {enabled: true, resourceEvictionRate: "-1"}, sources: [{name: app, url: x}]}`), "resourceEvictionRate in body should match"},
		"failover that tolerates the past":        {federation("{prune: true, failover: {enabled: true, defaultNotReadyTolerationSeconds: -1}, sources: [{name: app, url: x}]}"), "greater than or equal to 0"},
		"a resource model without range":          {cluster("eu2", "{resourceModels: [{grade: 1}]}"), "resourceModels[0].ranges: Required value"},
	} {
		t.Run(name, func(t *testing.T) {
			object := documents(t, c.object)[0]
			err := hub.Create(t.Context(), object, client.FieldValidation(metav1.FieldValidationStrict))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func accepts(t *testing.T, hub client.Client) {
	for name, object := range map[string]string{
		"a path with dots that are no step":       federation(`{prune: false, sources: [{name: app, url: x, path: "a..b/.c"}]}`),
		"a branch and a commit on it":             federation("{prune: false, sources: [{name: app, url: x, ref: {branch: main, commit: 4f2c9e1a0b3c4f2c9e1a0b3c4f2c9e1a0b3c4f2c}}]}"),
		"a source that reports, all of it":        reporting("{provider: gitea, apiURL: \"https://git.example:3000/api/v1\", secretRef: {name: bot}, instance: hub-1, targetURL: \"https://x/{release}\"}"),
		"a source that reports, and says no more": reporting("{secretRef: {name: bot}}"),
		"a tenant with all fields": tenant(`{federations: {namespaces: ["team-*"]}, sources: ["https://git.example/team-a/**"], clusters: {matchLabels: {team-a: "true"}},
			namespaces: ["team-a-*"], kinds: {clusterScoped: [Namespace, "*.example.com/*"], denied: ["rbac.authorization.k8s.io/*"]}, may: [DeclareClusters, HoldClusters],
			networks: [10.20.0.0/16, "fd00::/8"], impersonate: {namespace: team-a, serviceAccount: deployer}, limits: {objects: 5, bytes: 64Mi, fetchTimeout: 1m}}`),
		"approval by somebody else": federation("{prune: true, approval: {notBy: Author}, sources: [{name: app, url: x, verify: {secretRef: {name: signers}}}]}"),
		"a signed tag":              federation(`{prune: true, sources: [{name: app, url: x, ref: {semver: ">=1"}, verify: {mode: TagAndHEAD, secretRef: {name: signers}}}]}`),
		"failover": federation(`{prune: true, failover: {enabled: true, maxUnreachable: 30%, cooldown: 1h, stateful: true, gracefulEvictionTimeout: 10m, resourceEvictionRate: "0.5",
			defaultNotReadyTolerationSeconds: 300, defaultUnreachableTolerationSeconds: 0}, sources: [{name: app, url: x}]}`),
		"approval": federation("{prune: true, approval: {}, sources: [{name: app, url: x}]}"),
		"resource models in numbers and in quantities":    cluster("models", `{resourceModels: [{grade: 0, ranges: [{name: cpu, min: 0, max: "1"}]}]}`),
		"a cluster name as long as it may be":             cluster("c23456789-123456789-123456789-123456789-12345678", "{}"),
		"an interval in two units, a timeout in decimals": federation(`{prune: true, interval: 1h30m, sources: [{name: app, url: x, timeout: 1.5s}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			object := documents(t, object)[0]
			require.NoError(t, hub.Create(t.Context(), object, client.FieldValidation(metav1.FieldValidationStrict)))
			require.NoError(t, hub.Delete(t.Context(), object))
		})
	}
}

func cluster(name, spec string) string {
	return "apiVersion: accord.dev/v1alpha1\nkind: Cluster\nmetadata: {name: " + name + "}\nspec: " + spec
}

func federation(spec string) string {
	return "apiVersion: accord.dev/v1alpha1\nkind: Federation\nmetadata: {name: shop, namespace: default}\nspec: " + spec
}

func tenant(spec string) string {
	return "apiVersion: accord.dev/v1alpha1\nkind: Tenant\nmetadata: {name: team-b}\nspec: " + spec
}

// reporting is a federation whose source reports so.
func reporting(commitStatus string) string {
	return federation("{prune: true, sources: [{name: app, url: x, commitStatus: " + commitStatus + "}]}")
}

func documents(t *testing.T, text string) []*unstructured.Unstructured {
	var objects []*unstructured.Unstructured
	for document := range strings.SplitSeq(text, "\n---\n") {
		object := &unstructured.Unstructured{}
		require.NoError(t, yaml.UnmarshalStrict([]byte(document), &object.Object))
		objects = append(objects, object)
	}
	return objects
}
