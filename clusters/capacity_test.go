package clusters

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/list"
)

func resources(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

// same compares lists by value: 1Gi is 1024Mi.
func same(t *testing.T, want, got corev1.ResourceList, what string) {
	t.Helper()
	require.Len(t, got, len(want), what)
	for name, q := range want {
		has := got[name]
		require.Zero(t, has.Cmp(q), "%s: %s is %s, expected %s", what, name, has.String(), q.String())
	}
}

// TestRoom asks a real API server, with pods of every sort.
func TestRoom(t *testing.T) {
	m := connect(t, plane.Config())
	client, err := kubernetes.NewForConfig(plane.Config())
	require.NoError(t, err)
	const namespace = "room"
	_, err = client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	for name, has := range map[string]corev1.ResourceList{
		"small": resources("cpu", "2", "memory", "8Gi", "pods", "10"),
		"full":  resources("cpu", "64", "memory", "256Gi", "pods", "1"),
		"large": resources("cpu", "32", "memory", "256Gi", "pods", "110", "nvidia.com/gpu", "4"),
	} {
		_, err := client.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Allocatable: has}}, metav1.CreateOptions{})
		require.NoError(t, err)
		t.Cleanup(func() {
			require.NoError(t, client.CoreV1().Nodes().Delete(context.Background(), name, metav1.DeleteOptions{}))
		})
	}
	for name, p := range map[string]struct {
		on    string
		phase corev1.PodPhase
	}{
		"on-small": {on: "small"}, "on-full": {on: "full"}, "on-large": {on: "large", phase: corev1.PodRunning},
		"ended": {on: "large", phase: corev1.PodSucceeded}, "failed": {on: "large", phase: corev1.PodFailed},
		"lost": {on: "a-node-that-is-gone"}, "waiting": {},
	} {
		created, err := client.CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PodSpec{NodeName: p.on, Containers: []corev1.Container{{
				Name: "c", Image: "i", Resources: corev1.ResourceRequirements{Requests: resources("cpu", "1500m", "memory", "1Gi")},
			}}},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
		if p.phase != "" {
			created.Status.Phase = p.phase
			_, err = client.CoreV1().Pods(namespace).UpdateStatus(t.Context(), created, metav1.UpdateOptions{})
			require.NoError(t, err)
		}
	}

	var s v1alpha1.ResourceSummary
	require.Eventually(t, func() bool { // the memory of the API server is a moment behind
		s, err = Capacity(t.Context(), m, v1alpha1.DefaultResourceModels())
		require.NoError(t, err)
		return s.Allocated.Pods().Value() == 4 && s.Allocating.Pods().Value() == 1
	}, soon, often)
	same(t, resources("cpu", "98", "memory", "520Gi", "pods", "121", "nvidia.com/gpu", "4"), s.Allocatable, "all nodes")
	same(t, resources("cpu", "6", "memory", "4Gi", "pods", "4"), s.Allocated, "pods that have a node and have not ended")
	same(t, resources("cpu", "1500m", "memory", "1Gi", "pods", "1"), s.Allocating, "pods that wait")
	grades := map[uint32]int64{}
	for _, g := range s.AllocatableModelings {
		grades[g.Grade] = g.Count
	}
	require.Equal(t, map[uint32]int64{0: 1, 1: 0, 2: 0, 3: 0, 4: 0, 5: 1, 6: 0, 7: 0, 8: 0}, grades,
		"small has half a CPU left, full takes no more pods, large has 30.5 CPUs left")
}

func TestRoomIsReadPageByPage(t *testing.T) {
	asked := 0
	m := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		q := r.URL.Query()
		switch {
		case r.URL.Path == "/api/v1/nodes":
			fmt.Fprint(w, `{"kind":"NodeList","metadata":{},"items":null}`)
		case q.Get("continue") == "":
			require.Equal(t, "0", q.Get("resourceVersion"))
			require.Equal(t, activePods, q.Get("fieldSelector"))
			fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"continue":"more","remainingItemCount":1},"items":[{"spec":{"nodeName":"a"}},{"spec":{}}]}`)
		default:
			require.Empty(t, q.Get("resourceVersion"), "the continue token fixes the version")
			fmt.Fprint(w, `{"items":[{"spec":{"nodeName":"a"}}],"metadata":{}}`)
		}
	}))
	s, err := Capacity(t.Context(), m, nil)
	require.NoError(t, err)
	require.Equal(t, 3, asked)
	require.EqualValues(t, 2, s.Allocated.Pods().Value())
	require.EqualValues(t, 1, s.Allocating.Pods().Value())
	require.Empty(t, s.AllocatableModelings)
}

func TestRoomSaysWhyNot(t *testing.T) {
	forbidden := `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden","reason":"Forbidden","code":403}`
	for name, c := range map[string]struct {
		answer string
		code   int
		reason string
		says   string
	}{
		"may not list pods":           {forbidden, http.StatusForbidden, Forbidden, "denies access: listing its pods: pods is forbidden"},
		"breaks off within an object": {`{"items":[{"spec":`, http.StatusOK, Unreachable, "listing its pods: unexpected EOF"},
		"breaks off between objects":  {`{"items":[{"spec":{}}`, http.StatusOK, Unreachable, "listing its pods"},
		"breaks off at the end":       {`{"items":[]`, http.StatusOK, Unreachable, "listing its pods"},
		"is no list":                  {`[]`, http.StatusOK, Unreachable, "malformed list: expected {, got ["},
		"has items that are none":     {`{"items":{}}`, http.StatusOK, Unreachable, "items of a list: expected [, got {"},
	} {
		t.Run(name, func(t *testing.T) {
			m := connect(t, served(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.URL.Path == "/api/v1/nodes" {
					fmt.Fprint(w, `{"items":[]}`)
					return
				}
				w.WriteHeader(c.code)
				fmt.Fprint(w, c.answer)
			}))
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_, err := Capacity(ctx, m, nil)
			require.ErrorContains(t, err, c.says)
			require.Equal(t, c.reason, Reason(err))
		})
	}
}

func TestRequests(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	one := func(pairs ...string) container {
		return container{Resources: corev1.ResourceRequirements{Requests: resources(pairs...)}}
	}
	sidecar := one("cpu", "100m")
	sidecar.RestartPolicy = &always
	for name, c := range map[string]struct {
		pod  func(*pod)
		want corev1.ResourceList
	}{
		"nothing asked for": {func(*pod) {}, resources("pods", "1")},
		"containers add up": {func(p *pod) { p.Spec.Containers = []container{one("cpu", "1"), one("cpu", "500m", "memory", "1Gi")} }, resources("pods", "1", "cpu", "1500m", "memory", "1Gi")},
		"the largest of the initial ones": {func(p *pod) {
			p.Spec.InitContainers = []container{one("cpu", "2"), one("cpu", "3")}
			p.Spec.Containers = []container{one("cpu", "1")}
		}, resources("pods", "1", "cpu", "3")},
		"sidecars stay": {func(p *pod) {
			p.Spec.InitContainers = []container{sidecar}
			p.Spec.Containers = []container{one("cpu", "1")}
		}, resources("pods", "1", "cpu", "1100m")},
		"overhead is beside": {func(p *pod) {
			p.Spec.Overhead = resources("memory", "64Mi")
			p.Spec.Containers = []container{one("cpu", "1")}
		}, resources("pods", "1", "cpu", "1", "memory", "64Mi")},
		"the pod asks for all in one line": {func(p *pod) {
			p.Spec.Resources = &corev1.ResourceRequirements{Requests: resources("cpu", "4")}
			p.Spec.Containers = []container{one("cpu", "1")}
		}, resources("pods", "1", "cpu", "4")},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pod{}
			c.pod(p)
			same(t, c.want, p.requests(), name)
		})
	}
}

func TestGradeOf(t *testing.T) {
	models := v1alpha1.DefaultResourceModels()
	for name, c := range map[string]struct {
		left  corev1.ResourceList
		grade uint32
		fits  bool
	}{
		"less than the first step":              {resources("cpu", "900m", "memory", "3Gi", "pods", "1"), 0, true},
		"exactly a step":                        {resources("cpu", "2", "memory", "16Gi", "pods", "1"), 2, true},
		"the scarcer resource decides":          {resources("cpu", "128", "memory", "4Gi", "pods", "1"), 1, true},
		"the last grade has no end":             {resources("cpu", "1k", "memory", "8Ti", "pods", "1"), 8, true},
		"a resource that it does not have is 0": {resources("cpu", "64", "pods", "1"), 0, true},
		"overcommitted":                         {resources("cpu", "-1", "memory", "4Gi", "pods", "1"), 0, false},
		"no room for a pod":                     {resources("cpu", "64", "memory", "256Gi", "pods", "0"), 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			grade, fits := gradeOf(c.left, models)
			require.Equal(t, c.fits, fits)
			require.Equal(t, c.grade, grade)
		})
	}
}

// BenchmarkPods reads ten thousand pods of realistic size, which happens once a minute while a plan needs the capacity.
func BenchmarkPods(b *testing.B) {
	const pods = 10_000
	item := fmt.Sprintf(`{"metadata":{"name":"web","annotations":{"a":%q}},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]},"status":{"phase":"Running","message":%q}}`,
		strings.Repeat("x", 2000), strings.Repeat("y", 2000))
	page := `{"items":[` + strings.Repeat(item+",", pods-1) + item + `],"metadata":{}}`
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		r := capacity{left: map[string]corev1.ResourceList{}, allocatable: corev1.ResourceList{}, allocated: corev1.ResourceList{}, allocating: corev1.ResourceList{}}
		if _, err := list.Decode(strings.NewReader(page), r.addPod); err != nil {
			b.Fatal(err)
		}
	}
}
