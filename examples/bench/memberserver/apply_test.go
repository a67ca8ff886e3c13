package memberserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1", ports: [{containerPort: 80, protocol: TCP}]}
      - {name: proxy, image: "proxy:1"}
`

func apply(t *testing.T, objects dynamic.ResourceInterface, text, manager string, force bool) (*unstructured.Unstructured, error) {
	t.Helper()
	u := object(t, text)
	return objects.Apply(t.Context(), u.GetName(), u, metav1.ApplyOptions{FieldManager: manager, Force: force})
}

func applyCreatesAndMerges(t *testing.T, c *rest.Config, space string) {
	objects := dynamicFor(t, c).Resource(deployments).Namespace(space)
	created, err := apply(t, objects, web, "accord", true)
	require.NoError(t, err)
	require.NotEmpty(t, created.GetUID())
	require.EqualValues(t, 1, created.GetGeneration())
	require.Len(t, created.GetManagedFields(), 1)
	require.JSONEq(t, `{
		"f:metadata": {"f:labels": {"f:app": {}}},
		"f:spec": {"f:replicas": {}, "f:selector": {}, "f:template": {
			"f:metadata": {"f:labels": {"f:app": {}}},
			"f:spec": {"f:containers": {
				"k:{\"name\":\"proxy\"}": {".": {}, "f:image": {}, "f:name": {}},
				"k:{\"name\":\"web\"}": {".": {}, "f:image": {}, "f:name": {}, "f:ports": {
					"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}, "f:protocol": {}}}}}}}}
	}`, string(created.GetManagedFields()[0].FieldsV1.Raw))

	again, err := apply(t, objects, web, "accord", true)
	require.NoError(t, err)
	require.Equal(t, created.GetResourceVersion(), again.GetResourceVersion(), "an apply that changes nothing writes nothing")

	annotated, err := apply(t, objects, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, annotations: {by: somebody}}}`, "somebody", false)
	require.NoError(t, err)
	require.NotEqual(t, created.GetResourceVersion(), annotated.GetResourceVersion())
	require.EqualValues(t, 2, annotated.GetGeneration(), "of Deployments an annotation raises it, too")
	require.Equal(t, "web", annotated.GetLabels()["app"])

	_, err = apply(t, objects, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 5}}`, "somebody", false)
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.ErrorContains(t, err, `conflict with "accord": .spec.replicas`)
	taken, err := apply(t, objects, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 5}}`, "somebody", true)
	require.NoError(t, err)
	require.EqualValues(t, 3, taken.GetGeneration())
	require.Empty(t, taken.GetAnnotations()["by"], "what a manager does not apply any more goes")
	for _, m := range taken.GetManagedFields() {
		if m.Manager == "accord" {
			require.NotContains(t, string(m.FieldsV1.Raw), "f:replicas", "it lost the field")
		}
	}
}

func applyIsRefused(t *testing.T, c *rest.Config, space string) {
	d := dynamicFor(t, c)
	objects := d.Resource(configMaps).Namespace(space)
	first, err := apply(t, objects, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}`, "accord", true)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		object, namespace string
		is                func(error) bool
	}{
		"namespace that is not there":    {`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`, "nowhere", apierrors.IsNotFound},
		"uid of another":                 {`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, uid: "11111111-2222-3333-4444-555555555555"}}`, space, apierrors.IsInvalid},
		"uid of what is not there":       {`{apiVersion: v1, kind: ConfigMap, metadata: {name: b, uid: "` + string(first.GetUID()) + `"}}`, space, apierrors.IsConflict},
		"version of the past":            {`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: "1"}, data: {k: w}}`, space, apierrors.IsConflict},
		"another kind":                   {`{apiVersion: v1, kind: Secret, metadata: {name: a}}`, space, apierrors.IsBadRequest},
		"a name that cannot be":          {`{apiVersion: v1, kind: ConfigMap, metadata: {name: A_B}}`, space, apierrors.IsInvalid},
		"another namespace than the URL": {`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: kube-system}}`, space, apierrors.IsBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := apply(t, d.Resource(configMaps).Namespace(c.namespace), c.object, "accord", true)
			require.True(t, c.is(err), "%v", err)
		})
	}
	_, err = objects.Apply(t.Context(), "a", object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`), metav1.ApplyOptions{})
	require.True(t, apierrors.IsInvalid(err), "without a field manager: %v", err)
}

func aDryRunKeepsNothing(t *testing.T, c *rest.Config, space string) {
	objects := dynamicFor(t, c).Resource(configMaps).Namespace(space)
	text := `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}`
	dry := metav1.ApplyOptions{FieldManager: "accord", DryRun: []string{metav1.DryRunAll}}
	result, err := objects.Apply(t.Context(), "a", object(t, text), dry)
	require.NoError(t, err)
	require.NotEmpty(t, result.GetUID())
	_, err = objects.Get(t.Context(), "a", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)

	_, err = apply(t, objects, text, "accord", true)
	require.NoError(t, err)
	_, err = objects.Apply(t.Context(), "a", object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: w}}`), dry)
	require.NoError(t, err)
	live, err := objects.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"k": "v"}, live.Object["data"])
}

// TestMembersShareWorkAndNothingElse applies the same object to two members: each has its own object.
func TestMembersShareWorkAndNothingElse(t *testing.T) {
	h, err := NewHost()
	require.NoError(t, err)
	var objects []dynamic.ResourceInterface
	var first []*unstructured.Unstructured
	for _, name := range []string{"eu", "us", "asia"} {
		s, err := h.Start(name)
		require.NoError(t, err)
		defer s.Close()
		one := dynamicFor(t, s.Config()).Resource(deployments).Namespace("default")
		created, err := apply(t, one, web, "accord", true)
		require.NoError(t, err)
		objects, first = append(objects, one), append(first, created)
	}
	require.NotEqual(t, first[0].GetUID(), first[1].GetUID())
	require.NotEqual(t, first[1].GetUID(), first[2].GetUID())
	for i := range first {
		require.JSONEq(t, string(first[0].GetManagedFields()[0].FieldsV1.Raw), string(first[i].GetManagedFields()[0].FieldsV1.Raw))
		require.Equal(t, first[0].Object["spec"], first[i].Object["spec"])
	}

	_, err = apply(t, objects[0], `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {only: eu}}, spec: {replicas: 7}}`, "eu", true)
	require.NoError(t, err)
	other, err := objects[1].Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, first[1].Object, other.Object, "what happens to one happens to no other")
	require.NoError(t, objects[0].Delete(t.Context(), "web", metav1.DeleteOptions{}))
	later, err := apply(t, objects[0], web, "accord", true)
	require.NoError(t, err)
	require.Equal(t, first[1].Object["spec"], later.Object["spec"])
	require.Len(t, later.GetManagedFields(), 1)
	require.NotContains(t, later.GetLabels(), "only")
}
