package importer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/defaulting"
	"github.com/accord-dev/accord/propagate/importer"
	"github.com/accord-dev/accord/render/unrender"
)

// cluster returns a cluster with the live objects of a stream of documents.
func cluster(t *testing.T, name, live string) importer.Cluster {
	kinds, err := defaulting.NewKinds()
	require.NoError(t, err)
	c := importer.Cluster{Name: name, Defaults: func(gvk schema.GroupVersionKind) *unrender.Defaulter {
		return (*unrender.Defaulter)(kinds.Of(gvk))
	}}
	for document := range strings.SplitSeq(live, "\n---\n") {
		c.Objects = append(c.Objects, object(t, document))
	}
	return c
}

func imported(t *testing.T, in importer.Input) *importer.Result {
	r, err := importer.New(in)
	require.NoError(t, err)
	return r
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON(data))
	return u
}

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u, labels: {app: web}}
spec:
  replicas: REPLICAS
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      dnsPolicy: ClusterFirst
      containers: [{name: web, image: "REGISTRY/web:1", imagePullPolicy: IfNotPresent}]
status: {replicas: 2}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-1, namespace: shop, ownerReferences: [{kind: Deployment, name: web, controller: true}]}}
---
{apiVersion: v1, kind: Secret, metadata: {name: db, namespace: shop}, data: {a: eA==}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}, data: {a: b}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {kubernetes.io/metadata.name: shop}}, spec: {finalizers: [kubernetes]}}`

func live(replicas, registry string) string {
	return strings.NewReplacer("REPLICAS", replicas, "REGISTRY", registry).Replace(deployment)
}

const autoscaler = `
---
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web, namespace: shop}, spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`

func TestOneCluster(t *testing.T) {
	r := imported(t, importer.Input{Policies: true, Clusters: []importer.Cluster{cluster(t, "prod", live("2", "docker.io")+autoscaler)}})
	files := map[string]*unstructured.Unstructured{}
	for _, f := range r.Files() {
		files[f.Path] = f.Object
	}
	require.Equal(t, object(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "docker.io/web:1"}]}
`), files["shop/deployment/web.yaml"], "the autoscaler owns the replicas")
	require.Equal(t, []any{
		"configmap/settings.yaml", "deployment/web.yaml", "horizontalpodautoscaler/web.yaml", "namespace/shop.yaml", "propagationpolicy/imported.yaml",
	}, files["shop/kustomization.yaml"].Object["resources"])
	require.Equal(t, object(t, `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: imported, namespace: shop}
spec:
  conflictResolution: Overwrite
  resourceSelectors:
  - {apiVersion: v1, kind: ConfigMap}
  - {apiVersion: apps/v1, kind: Deployment}
  - {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}
  placement: {clusterAffinity: {clusterNames: [prod]}}
`), files["shop/propagationpolicy/imported.yaml"])
	require.Equal(t, []any{map[string]any{"apiVersion": "v1", "kind": "Namespace", "name": "shop"}},
		files["_cluster/clusterpropagationpolicy/imported.yaml"].Object["spec"].(map[string]any)["resourceSelectors"])
	require.Equal(t, []importer.LeftOut{{Cluster: "prod", ID: manifest.ID{Group: "apps", Kind: "ReplicaSet", Namespace: "shop", Name: "web-1"}, Reason: "made by Deployment web"}}, r.LeftOut)
	require.Equal(t, []importer.Secret{{ID: manifest.ID{Kind: "Secret", Namespace: "shop", Name: "db"}, Clusters: []string{"prod"}}}, r.Secrets)
	require.Empty(t, r.Refused)
}

func TestDifferencesBetweenClusters(t *testing.T) {
	only := "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: only, namespace: shop}}"
	r := imported(t, importer.Input{Policies: true, Clusters: []importer.Cluster{
		cluster(t, "eu", live("2", "docker.io")), cluster(t, "us", live("5", "mirror.us")), cluster(t, "za", live("2", "docker.io")+only),
	}})
	require.Empty(t, r.Refused)
	policies := map[string]*unstructured.Unstructured{}
	for _, p := range r.Policies {
		policies[p.GetKind()+" "+p.GetName()] = p
	}
	require.Equal(t, object(t, `
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: web-deployment, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  overrideRules:
  - targetCluster: {clusterNames: [us]}
    overriders:
      imageOverrider: [{component: Registry, operator: replace, value: mirror.us}]
      plaintext: [{path: /spec/replicas, operator: replace, value: 5}]
`), policies["OverridePolicy web-deployment"])
	require.Equal(t, object(t, `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: imported-za, namespace: shop}
spec:
  conflictResolution: Overwrite
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: only}]
  placement: {clusterAffinity: {clusterNames: [za]}}
`), policies["PropagationPolicy imported-za"])
	require.Equal(t, object(t, `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: imported, namespace: shop}
spec:
  conflictResolution: Overwrite
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: settings}, {apiVersion: apps/v1, kind: Deployment}]
  placement: {clusterAffinity: {clusterNames: [eu, us, za]}}
`), policies["PropagationPolicy imported"])
}

func TestObjectsWithTheSameDifferencesShareAPolicy(t *testing.T) {
	two := func(value string) string {
		return "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}, data: {region: " + value + "}}\n---\n" +
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: shop}, data: {region: " + value + "}}"
	}
	r := imported(t, importer.Input{Policies: true, Clusters: []importer.Cluster{cluster(t, "eu", two("eu")), cluster(t, "us", two("us"))}})
	require.Len(t, r.Policies, 2)
	require.Equal(t, "OverridePolicy a-configmap", r.Policies[0].GetKind()+" "+r.Policies[0].GetName())
	require.Len(t, r.Policies[0].Object["spec"].(map[string]any)["resourceSelectors"], 2)
}

func TestADefaultThatOneClusterWroteIsNoDifference(t *testing.T) {
	written := "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: shop, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{\"spec\":{\"type\":\"ClusterIP\"}}'}}, spec: {type: ClusterIP, sessionAffinity: None}}"
	created := "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: shop}, spec: {type: ClusterIP, sessionAffinity: None}}"
	r := imported(t, importer.Input{Policies: true, Clusters: []importer.Cluster{cluster(t, "eu", created), cluster(t, "us", written)}})
	require.Equal(t, map[string]any{"type": "ClusterIP"}, r.Objects[0].Manifest.Object["spec"])
	require.False(t, r.Objects[0].Varies)
}

func TestADifferenceWithoutOverride(t *testing.T) {
	old := "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, namespace: shop}}"
	other := "{apiVersion: example.com/v2, kind: Widget, metadata: {name: a, namespace: shop}}"
	clusters := []importer.Cluster{cluster(t, "eu", old), cluster(t, "us", other)}
	r := imported(t, importer.Input{Policies: true, Clusters: clusters})
	require.Equal(t, []string{"eu"}, r.Objects[0].Clusters, "the object is not placed where it would change")
	require.Len(t, r.Refused, 1)
	require.Equal(t, "us", r.Refused[0].Cluster)
	require.Contains(t, r.Refused[0].Reason, "no override changes a version")

	clusters[1] = cluster(t, "us", "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, namespace: shop}, spec: {a: 1}}")
	r = imported(t, importer.Input{Clusters: clusters})
	require.Contains(t, r.Refused[0].Reason, "import with --policy")
	require.Empty(t, r.Policies)
}

func TestFileNames(t *testing.T) {
	long := strings.Repeat("a", 253)
	r := imported(t, importer.Input{Clusters: []importer.Cluster{cluster(t, "a", `
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "team:a"}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: team-a}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: Team-a}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: `+long+`, namespace: a}}
---
{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: web, namespace: a}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: a}}`)}})
	var paths []string
	for _, f := range r.Files() {
		paths = append(paths, f.Path)
		require.Less(t, len(f.Path), 240)
	}
	require.Equal(t, []string{
		"_cluster/clusterrole/team-a-5752fdde.yaml", "_cluster/clusterrole/team-a-61488d38.yaml", "_cluster/clusterrole/team-a.yaml", "_cluster/kustomization.yaml",
		"a/configmap/" + long[:200] + "-32859a3a.yaml", "a/kustomization.yaml", "a/service.serving.knative.dev/web.yaml", "a/service/web.yaml",
	}, paths)
}

func TestCompare(t *testing.T) {
	c := cluster(t, "prod", live("2", "docker.io"))
	r := imported(t, importer.Input{Clusters: []importer.Cluster{c}})
	web := r.Objects[len(r.Objects)-1].Manifest
	require.Equal(t, "Deployment", web.GetKind())
	require.True(t, c.Compare(web, c.Objects[0], false).Same())
	require.True(t, c.Compare(web, nil, false).Missing)

	changed := web.DeepCopy()
	require.NoError(t, unstructured.SetNestedField(changed.Object, int64(3), "spec", "replicas"))
	v := c.Compare(changed, c.Objects[0], false)
	require.Equal(t, []string{"spec.replicas"}, v.Changes)
	require.Empty(t, v.Beyond)
	require.False(t, v.Restarts)

	require.NoError(t, unstructured.SetNestedField(changed.Object, "Default", "spec", "template", "spec", "dnsPolicy"))
	unstructured.RemoveNestedField(changed.Object, "metadata", "labels")
	v = c.Compare(changed, c.Objects[0], false)
	require.Equal(t, []string{"spec.replicas", "spec.template.spec.dnsPolicy"}, v.Changes)
	require.Equal(t, []string{"metadata.labels.app"}, v.Beyond)
	require.True(t, v.Restarts)
}
