package propagate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

const evicted = `
-- input --
evictions:
- id: {group: apps, kind: Deployment, namespace: shop, name: web}
  tasks: [TASK]
-- objects.yaml --
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 2, template: {spec: {containers: [{name: c, image: i, envFrom: [{configMapRef: {name: env}}]}]}}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: env, namespace: shop}}
-- policies.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  propagateDeps: true
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]}
-- fleet.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}, status: {resourceSummary: {allocatable: {pods: 8}}}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: b}, status: {resourceSummary: {allocatable: {pods: 8}}}}
-- previous --
- {id: {group: apps, kind: Deployment, namespace: shop, name: web}, dependencies: true, clusters: [{name: a, replicas: 2}]}
`

// TestTheOldCopyOfAnEviction stays or goes by the purge mode, with its dependencies and its Namespace.
func TestTheOldCopyOfAnEviction(t *testing.T) {
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	env := manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: "env"}
	shop := manifest.ID{Kind: "Namespace", Name: "shop"}
	const task = `{fromCluster: a, reason: TaintUntolerated, producer: TaintManager, creationTimestamp: "2026-01-01T00:00:00Z", clustersBeforeFailover: [a], `
	const healthy = "it is evicted from a (TaintUntolerated), and stays until its replacement is healthy"
	for _, c := range []struct {
		name, task string
		keeps      string // the reason for the workload
		held       string // the reason for its replacement
		evicted    []manifest.ID
	}{
		{"Gracefully", `purgeMode: Gracefully}`, healthy, "", nil},
		{"Never", `purgeMode: Never, suppressDeletion: true}`, "it is evicted from a (TaintUntolerated), and its eviction has suppressDeletion: true", "", nil},
		{"Directly", `purgeMode: Directly}`, "", "it waits until a has deleted its copy", []manifest.ID{env, web}},
		{"completed", `purgeMode: Gracefully, completionTimestamp: "2026-01-01T00:10:00Z"}`, "", "", []manifest.ID{env, web}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := load(t, evictedBy(task+c.task))
			if c.name == "completed" {
				in.Previous[0].Clusters[0].Name = "b"
			}
			p := plan(t, in)
			require.Equal(t, c.keeps, p.KeepReason("a", web, nil))
			if c.keeps == "" {
				require.Empty(t, p.KeepReason("a", env, nil))
				require.Contains(t, p.KeepReason("a", shop, nil), "was evicted from a, and may return after the cooldown")
			} else {
				require.Contains(t, p.KeepReason("a", env, nil), c.keeps)
				require.Contains(t, p.KeepReason("a", shop, nil), c.keeps)
			}
			require.Equal(t, c.evicted, p.Evicted("a"))
			require.Empty(t, p.Evicted("b"))
			require.Empty(t, p.ForCluster("a").Objects)
			on := p.ForCluster("b").Objects
			require.Len(t, on, 3, "with the dependency and the Namespace")
			for _, o := range on {
				if c.held == "" {
					require.Empty(t, o.Held, o.ID)
				} else {
					require.Contains(t, o.Held, c.held, o.ID)
				}
			}
			require.False(t, p.Previous()[1].Clusters[0].Held, "only a suspension counts for a Lazy policy")
		})
	}
}

// TestAnEvictionIsPartOfTheDigest: replicas assign and approve a plan by its digest.
func TestAnEvictionIsPartOfTheDigest(t *testing.T) {
	in := load(t, evictedBy(`{fromCluster: b, reason: TaintUntolerated, purgeMode: Gracefully, creationTimestamp: "2026-01-01T00:00:00Z"}`))
	with := plan(t, in)
	in.Evictions = nil
	without := plan(t, in)
	require.Equal(t, without.Decisions[1].Chosen, with.Decisions[1].Chosen)
	require.NotEqual(t, without.Digest(), with.Digest())
}

func evictedBy(task string) string { return strings.Replace(evicted, "TASK", task, 1) }

// TestACancelledEvictionRestoresThePlacement: the object stays on its cluster with its replicas, and does not go to the replacement.
func TestACancelledEvictionRestoresThePlacement(t *testing.T) {
	const cancelled = `completionTimestamp: "2026-01-01T00:05:00Z", cancelled: true}`
	for _, c := range []struct{ name, policy, task, previous, want string }{
		{
			"one cluster", "spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]", `clustersBeforeFailover: [b], replicas: 6, `,
			"clusters: [{name: a, replicas: 6}]", "b 6",
		},
		{
			"divided by room", "replicaScheduling: {replicaSchedulingType: Divided, weightPreference: {dynamicWeight: AvailableReplicas}}",
			`clustersBeforeFailover: [a, b], replicas: 4, `, "clusters: [{name: a, replicas: 3}, {name: c, replicas: 3}]", "a 2, b 4",
		},
		{
			"the first term", "clusterAffinities: [{affinityName: one, clusterNames: [b]}, {affinityName: two, clusterNames: [a]}]",
			`clustersBeforeFailover: [b], replicas: 6, `, "term: two, clusters: [{name: a, replicas: 6}]", "b 6",
		},
		{
			"the policy does not select the cluster any more", "clusterAffinity: {clusterNames: [a]}",
			`clustersBeforeFailover: [b], replicas: 6, `, "clusters: [{name: a, replicas: 6}]", "a 6",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := load(t, `
-- input --
evictions:
- id: {group: apps, kind: Deployment, namespace: shop, name: web}
  tasks: [{fromCluster: b, reason: TaintUntolerated, purgeMode: Gracefully, creationTimestamp: "2026-01-01T00:00:00Z", `+c.task+cancelled+`]
-- objects.yaml --
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 6, template: {spec: {containers: [{name: c, image: i}]}}}}
-- policies.yaml --
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment}]
  placement: {`+c.policy+`}
-- fleet.yaml --
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: a}, status: {resourceSummary: {allocatable: {pods: 8}}}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: b}, status: {resourceSummary: {allocatable: {pods: 8}}}}
---
{apiVersion: accord.dev/v1alpha1, kind: Cluster, metadata: {name: c}, status: {resourceSummary: {allocatable: {pods: 8}}}}
-- previous --
- {id: {group: apps, kind: Deployment, namespace: shop, name: web}, `+c.previous+`}
`)
			p := plan(t, in)
			for range 2 {
				var got []string
				for _, on := range p.Decisions[0].Chosen {
					got = append(got, on.Cluster+choice(on))
				}
				require.Equal(t, c.want, strings.Join(got, ", "))
				require.Empty(t, p.Evicted("b"))
				in.Previous = p.Previous()
				p = plan(t, in)
			}
		})
	}
}

// TestPreservedStateBecomesLabels of the only replacement of a Directly eviction.
func TestPreservedStateBecomesLabels(t *testing.T) {
	const state = `{fromCluster: a, reason: ApplicationFailure, creationTimestamp: "2026-01-01T00:00:00Z", preservedLabelState: {job: "7"}, `
	for _, c := range []struct {
		name, task string
		labels     map[string]any
	}{
		{"Directly", state + `purgeMode: Directly, clustersBeforeFailover: [a]}`, map[string]any{"job": "7"}},
		{"Directly, completed", state + `purgeMode: Directly, clustersBeforeFailover: [a], completionTimestamp: "2026-01-01T00:00:10Z"}`, map[string]any{"job": "7"}},
		{"Directly, cancelled", state + `purgeMode: Directly, clustersBeforeFailover: [a], completionTimestamp: "2026-01-01T00:00:10Z", cancelled: true}`, nil},
		{"Gracefully", state + `purgeMode: Gracefully, clustersBeforeFailover: [a]}`, nil},
		{"Directly, to a cluster that had the object", state + `purgeMode: Directly, clustersBeforeFailover: [a, b]}`, nil},
		{"a later task is Gracefully", state + `purgeMode: Directly, clustersBeforeFailover: [a]}, ` +
			`{fromCluster: c, purgeMode: Gracefully, creationTimestamp: "2026-01-01T00:00:01Z", reason: TaintUntolerated}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := load(t, evictedBy(c.task))
			if c.name == "Directly, completed" {
				in.Previous[0].Clusters[0].Name = "b"
			}
			p := plan(t, in)
			var got unstructured.Unstructured
			for _, cluster := range p.Clusters() {
				for _, o := range p.ForCluster(cluster).Objects {
					if o.ID.Kind == "Deployment" {
						require.NoError(t, got.UnmarshalJSON(o.Body.Bytes()))
					}
				}
			}
			labels, _, err := unstructured.NestedMap(got.Object, "metadata", "labels")
			require.NoError(t, err)
			delete(labels, v1alpha1.PartOfLabel)
			if c.labels == nil {
				require.Empty(t, labels)
			} else {
				require.Equal(t, c.labels, labels)
			}
		})
	}
}
