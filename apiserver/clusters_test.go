package apiserver_test

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

var (
	karmadaClusters = schema.GroupVersionResource{Group: "cluster.karmada.io", Version: "v1alpha1", Resource: "clusters"}
	karmadaPath     = strings.TrimSuffix(proxyPath, "/")
)

// edge declares a Cluster with everything that the projection shows.
func (p *proxies) edge() *v1alpha1.Cluster {
	c := &v1alpha1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "edge", Labels: map[string]string{"tier": "edge"}},
		Spec: v1alpha1.ClusterSpec{
			APIEndpoint: "https://edge.example:6443", Region: "eu", Provider: "metal", Zones: []string{"a", "b"}, Hold: &v1alpha1.ClusterHold{Reason: "freeze"},
			Taints: []corev1.Taint{{Key: "own", Effect: corev1.TaintEffectNoSchedule}},
		},
	}
	require.NoError(p, p.kinds().Create(p.Context(), c))
	p.Cleanup(func() {
		_ = p.kinds().Delete(p.whole.Context(), &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "edge"}})
	})
	c.Status = v1alpha1.ClusterStatus{
		KubernetesVersion: "v1.36.4", NodeSummary: v1alpha1.NodeSummary{TotalNum: 3, ReadyNum: 2, Display: "2/3"},
		Conditions:     []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "ClusterReady", LastTransitionTime: metav1.Now()}},
		APIEnablements: []v1alpha1.APIEnablement{{GroupVersion: "apps/v1", Resources: []v1alpha1.APIResource{{Name: "deployments", Kind: "Deployment", Scope: "Namespaced"}}}},
		Taints:         []corev1.Taint{{Key: "cluster.karmada.io/not-ready", Effect: corev1.TaintEffectNoSchedule}},
	}
	require.NoError(p, p.kinds().Status().Update(p.Context(), c))
	return c
}

// projection reads a Cluster and the tables of kubectl.
func (p *proxies) projection() {
	p.edge()
	resource := dynamic.NewForConfigOrDie(p.hub).Resource(karmadaClusters)
	for _, get := range []func() (*unstructured.Unstructured, error){
		func() (*unstructured.Unstructured, error) {
			return resource.Get(p.Context(), "edge", metav1.GetOptions{})
		},
		func() (*unstructured.Unstructured, error) {
			return resource.Get(p.Context(), "edge", metav1.GetOptions{}, "status")
		},
		func() (*unstructured.Unstructured, error) {
			list, err := resource.List(p.Context(), metav1.ListOptions{LabelSelector: "tier=edge"})
			require.NoError(p, err)
			require.Len(p, list.Items, 1)
			require.NotEmpty(p, list.GetResourceVersion())
			return &list.Items[0], nil
		},
	} {
		u, err := get()
		require.NoError(p, err)
		require.Equal(p, "edge", u.GetName())
		spec, status := u.Object["spec"].(map[string]any), u.Object["status"].(map[string]any)
		require.Equal(p, "https://edge.example:6443", spec["apiEndpoint"])
		require.NotContains(p, spec, "hold", "Karmada's schema has no hold")
		require.Len(p, spec["taints"], 2, "Karmada has the taints of the status in the spec")
		require.Equal(p, map[string]any{"totalNum": int64(3), "readyNum": int64(2)}, status["nodeSummary"])
		require.Equal(p, []any{map[string]any{"groupVersion": "apps/v1", "resources": []any{map[string]any{"name": "deployments", "kind": "Deployment"}}}}, status["apiEnablements"])
		for _, field := range []string{"taints", "message", "observedGeneration", "lastProbeTime"} {
			require.NotContains(p, status, field)
		}
	}
	_, _, text := p.try(&p.admin, http.MethodGet, karmadaPath+"?labelSelector=tier%3Dedge", "", "Accept: application/json;as=Table;v=v1;g=meta.k8s.io")
	var table metav1.Table
	require.NoError(p, json.Unmarshal(text, &table), "%s", text)
	var names []string
	for _, c := range table.ColumnDefinitions {
		names = append(names, c.Name)
	}
	require.Equal(p, []string{"Name", "Version", "Mode", "Ready", "Age", "Zones", "Region", "Provider", "API-Endpoint", "Proxy-URL"}, names)
	require.Len(p, table.Rows, 1)
	cells := table.Rows[0].Cells
	require.Equal(p, []any{"edge", "v1.36.4", "Push", "True"}, cells[:4])
	require.Equal(p, []any{"a,b", "eu", "metal", "https://edge.example:6443", "<none>"}, cells[5:])
	p.refused(http.StatusNotFound, &p.admin, http.MethodGet, karmadaPath+"/absent", "")
}

// projectionWatched watches from the resourceVersion of a list.
func (p *proxies) projectionWatched() {
	resource := dynamic.NewForConfigOrDie(p.hub).Resource(karmadaClusters)
	list, err := resource.List(p.Context(), metav1.ListOptions{})
	require.NoError(p, err)
	c := p.edge()
	events, err := resource.Watch(p.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion(), FieldSelector: "metadata.name=edge"})
	require.NoError(p, err)
	defer events.Stop()
	next := func() *unstructured.Unstructured { return (<-events.ResultChan()).Object.(*unstructured.Unstructured) }
	require.NotContains(p, next().Object["spec"], "hold")
	ready, _, _ := unstructured.NestedSlice(next().Object, "status", "conditions")
	require.Len(p, ready, 1, "the event of the status")
	require.NoError(p, p.kinds().Get(p.Context(), client.ObjectKeyFromObject(c), c))
	c.Spec.Region = "us"
	require.NoError(p, p.kinds().Update(p.Context(), c))
	require.Equal(p, "us", next().Object["spec"].(map[string]any)["region"])
}

// projectionRefuses changes Clusters where they are read-only.
func (p *proxies) projectionRefuses() {
	for _, r := range []struct{ method, path string }{
		{http.MethodPost, ""}, {http.MethodPut, "/push"}, {http.MethodPatch, "/push"}, {http.MethodDelete, "/push"}, {http.MethodDelete, ""}, {http.MethodPut, "/push/status"},
	} {
		s := p.refused(http.StatusMethodNotAllowed, &p.admin, r.method, karmadaPath+r.path, "{}", "Content-Type: application/json")
		require.Contains(p, s.Message, `"accord join" and "accord register" add a cluster`, r)
	}
	dave := p.client(p.through("", "dave"))
	s := p.refused(http.StatusForbidden, &dave, http.MethodGet, karmadaPath, "")
	require.Contains(p, s.Message, `User "dave" cannot list resource "clusters"`)
	_, _, text := p.try(&p.admin, http.MethodGet, "/apis/cluster.karmada.io/v1alpha1", "")
	var discovered metav1.APIResourceList
	require.NoError(p, json.Unmarshal(text, &discovered))
	for _, r := range discovered.APIResources {
		if r.Name == "clusters" {
			require.ElementsMatch(p, []string{"get", "list", "watch"}, r.Verbs)
		}
	}
}
