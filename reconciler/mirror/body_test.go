package mirror

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status/kind"
)

// template of a manifest; every share is the manifest with other replicas, or without if they are negative.
func template(t *testing.T, text string, replicas ...int64) Template {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
	made := Template{ID: manifest.IDOf(u), GVK: u.GroupVersionKind(), Kind: kind.Of(u.GroupVersionKind().GroupKind()), Manifest: u, Digest: "template"}
	for i, n := range replicas {
		s := Share{Cluster: fmt.Sprint("cluster-", i), Digest: fmt.Sprint("digest-", n)}
		if n >= 0 {
			rendered := u.DeepCopy()
			require.NoError(t, unstructured.SetNestedField(rendered.Object, n, "spec", "replicas"))
			text, err := json.Marshal(rendered.Object)
			require.NoError(t, err)
			s.Rendered = text
		}
		made.Shares = append(made.Shares, s)
	}
	return made
}

func body(t *testing.T, made Template, replicas *int64) *unstructured.Unstructured {
	t.Helper()
	before := made.Manifest.DeepCopy()
	text, total, err := made.body("demo/shop", replicas)
	require.NoError(t, err)
	require.Equal(t, before, made.Manifest, "the manifest is shared")
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON(text))
	if total != nil {
		n, found, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		require.True(t, !found && *total == 1 || n == *total)
	}
	return u
}

const podTemplate = `
  template:
    metadata: {labels: {app: web}, annotations: {theirs: "1"}}
    spec: {containers: [{name: main, image: nginx}]}
`

func TestBodyMarks(t *testing.T) {
	made := template(t, `
apiVersion: apps/v1
kind: Deployment
metadata:
  namespace: shop
  name: web
  finalizers: [somebody/else]
  annotations: {accord.dev/digest: forged}
  labels: {applyset.kubernetes.io/part-of: forged}
status: {replicas: 7}
spec:
  replicas: 1`+podTemplate, 2, 3)
	u := body(t, made, nil)
	require.Equal(t, map[string]string{v1alpha1.PartOfLabel: setID}, u.GetLabels())
	require.Equal(t, map[string]string{OwnerAnnotation: "demo/shop", DecisionAnnotation: made.Decision()}, u.GetAnnotations())
	require.Empty(t, u.GetFinalizers())
	require.NotContains(t, u.Object, "status")
	annotations, _, _ := unstructured.NestedStringMap(u.Object, "spec", "template", "metadata", "annotations")
	require.Equal(t, map[string]string{"theirs": "1", DecisionAnnotation: made.Decision()}, annotations)
}

func TestBodyCounts(t *testing.T) {
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {namespace: shop, name: web}\nspec:\n  replicas: 7" + podTemplate
	const statefulSet = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {namespace: shop, name: web}\nspec:\n  updateStrategy: {rollingUpdate: {partition: 2}}" + podTemplate
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: shop, name: web}\nspec:\n  parallelism: 3" + podTemplate
	for name, c := range map[string]struct {
		made      Template
		replicas  *int64
		want      any
		partition any
	}{
		"two clusters together":                 {made: template(t, deployment, 2, 3), want: int64(5)},
		"one cluster could not be rendered":     {made: template(t, deployment, 2, -1), want: int64(2)},
		"scaled to zero everywhere":             {made: template(t, deployment, 0, 0), want: int64(0)},
		"no cluster fits: the template's own":   {made: template(t, deployment), want: int64(7)},
		"an autoscaler of a member decided":     {made: template(t, deployment, 2, 3), replicas: new(int64(9)), want: int64(9)},
		"each cluster keeps back a partition":   {made: template(t, statefulSet, 3, 5), want: int64(8), partition: int64(4)},
		"a cluster has less than its partition": {made: template(t, statefulSet, 1, 5), want: int64(6), partition: int64(3)},
		"counts that nobody compares stay":      {made: template(t, job, 2, 3)},
	} {
		t.Run(name, func(t *testing.T) {
			u := body(t, c.made, c.replicas)
			replicas, found, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
			require.Equal(t, c.want != nil, found)
			if found {
				require.Equal(t, c.want, replicas)
			}
			partition, found, _ := unstructured.NestedInt64(u.Object, "spec", "updateStrategy", "rollingUpdate", "partition")
			require.Equal(t, c.partition != nil, found)
			if found {
				require.Equal(t, c.partition, partition)
			}
		})
	}
}

func TestBodyAnnotatesPodTemplates(t *testing.T) {
	for name, c := range map[string]struct {
		manifest string
		path     []string
	}{
		"a CronJob": {"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a}]}}}}}",
			[]string{"spec", "jobTemplate", "spec", "template", "metadata", "annotations"}},
		"any kind with a pod template": {"apiVersion: example.com/v1\nkind: Rollout\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: a}]}}}",
			[]string{"spec", "template", "metadata", "annotations"}},
		"a Job, whose template is immutable": {"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: a}]}}}", nil},
		"another template":                   {"apiVersion: example.com/v1\nkind: Machine\nmetadata: {name: a}\nspec: {template: {spec: {}}}", nil},
		"none":                               {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			made := template(t, c.manifest)
			u := body(t, made, nil)
			require.Equal(t, made.Decision(), u.GetAnnotations()[DecisionAnnotation])
			if c.path == nil {
				text, err := json.Marshal(u.Object["spec"])
				require.NoError(t, err)
				require.NotContains(t, string(text), DecisionAnnotation)
				return
			}
			annotations, _, _ := unstructured.NestedStringMap(u.Object, c.path...)
			require.Equal(t, made.Decision(), annotations[DecisionAnnotation])
		})
	}
}

func TestBodyOfADefinitionConvertsNothing(t *testing.T) {
	u := body(t, template(t, "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\nspec: {group: b, conversion: {strategy: Webhook}}"), nil)
	require.Equal(t, map[string]any{"group": "b"}, u.Object["spec"])
}

// TestDecision: it moves with all that a cluster has to do, and with nothing else.
func TestDecision(t *testing.T) {
	base := func() Template {
		return Template{Digest: "t", Shares: []Share{{Cluster: "a", Digest: "1"}, {Cluster: "b", Digest: "1"}}}
	}
	seen := map[string]string{base().Decision(): "unchanged"}
	for name, change := range map[string]func(*Template){
		"the template":        func(x *Template) { x.Digest = "u" },
		"the version":         func(x *Template) { x.GVK.Version = "v2" },
		"what a cluster runs": func(x *Template) { x.Shares[1].Digest = "2" },
		"a cluster is held":   func(x *Template) { x.Shares[1].Held = true },
		"a cluster less":      func(x *Template) { x.Shares = x.Shares[:1] },
		"another cluster":     func(x *Template) { x.Shares[1].Cluster = "c" },
	} {
		x := base()
		change(&x)
		require.Empty(t, seen[x.Decision()], name)
		seen[x.Decision()] = name
	}
	same := base()
	same.Shares[0].Rendered = []byte("not part of it: the digest is")
	require.Equal(t, "unchanged", seen[same.Decision()])
}

func TestExcluded(t *testing.T) {
	for id, excluded := range map[manifest.ID]bool{
		{Kind: "ConfigMap", Namespace: "shop", Name: "a"}:                                                 false,
		{Kind: "ConfigMap", Namespace: "kube-system", Name: "a"}:                                          true,
		{Kind: "ConfigMap", Namespace: "accord-system", Name: "a"}:                                        true,
		{Kind: "Namespace", Name: "shop"}:                                                                 false,
		{Kind: "Namespace", Name: "kube-public"}:                                                          true,
		{Kind: "Secret", Namespace: "shop", Name: "a"}:                                                    true,
		{Kind: "ResourceQuota", Namespace: "shop", Name: "a"}:                                             true,
		{Kind: "Node", Name: "a"}:                                                                         true,
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding", Name: "admin"}:                   true,
		{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding", Namespace: "shop", Name: "admin"}:       true,
		{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration", Name: "a"}:        true,
		{Group: "apiregistration.k8s.io", Kind: "APIService", Name: "v1.a"}:                               true,
		{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}:                               false,
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "boats.example.com"}:      false,
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "federations.accord.dev"}: true,
		{Group: "example.com", Kind: "Secret", Namespace: "shop", Name: "of another group"}:               false,
	} {
		require.Equal(t, excluded, Excluded(id) != "", id)
	}
}
