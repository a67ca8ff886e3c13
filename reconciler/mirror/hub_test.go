package mirror

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/clusters/local/localtest"
	accord "github.com/accord-dev/accord/status"
)

// TestOnAHub publishes on a real API server; each part has a namespace and a federation of its own.
func TestOnAHub(t *testing.T) {
	cfg := localtest.Start(t, "hub").Config()
	for name, part := range map[string]func(*stage){
		"a field is immutable":                           recreated,
		"a Job gets another decision":                    anotherJob,
		"a refused template is not done":                 refused,
		"a decision without a generation is not done":    demoted,
		"a namespace goes with the last mirrored object": namespaceGoes,
		"a namespace with a foreign object stays":        namespaceStays,
		"a definition and its first object":              definition,
		"a definition stays while others use it":         definitionStays,
		"a protected claim goes":                         protected,
		"a restart finds the mirrored objects":           restarted,
		"the hub does not have a kind":                   unserved,
		"two federations have the same object":           twoOwners,
		"an autoscaler runs other numbers":               scaledByOthers,
		"somebody writes a status":                       statusPutBack,
		"somebody removes the label":                     labelPutBack,
		"a federation is gone":                           forgotten,
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, cfg)
			part(s)
		})
	}
}

// stage is one federation on a hub.
type stage struct {
	*testing.T
	*Mirror
	config     *rest.Config
	objects    dynamic.Interface
	namespace  string
	federation string
	requested  chan manifest.ID
}

func newStage(t *testing.T, cfg *rest.Config) *stage {
	t.Helper()
	s := &stage{T: t, config: cfg, namespace: fmt.Sprintf("shop-%x", time.Now().UnixNano()), requested: make(chan manifest.ID, 100)}
	s.federation = "demo/" + s.namespace
	var err error
	s.objects, err = dynamic.NewForConfig(cfg)
	require.NoError(t, err)
	s.start()
	return s
}

// start a Mirror that runs until the test ends.
func (s *stage) start() {
	s.Helper()
	m, err := Connect(s.config, Options{
		Log:           slog.New(slog.NewTextHandler(s.Output(), &slog.HandlerOptions{Level: slog.LevelDebug})),
		RequestStatus: func(_ string, id manifest.ID) { s.requested <- id },
	})
	require.NoError(s, err)
	s.Mirror = m
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); m.Run(ctx) }()
	s.Cleanup(func() { cancel(); <-ended })
}

// publish mirrors manifests that two clusters run unchanged.
func (s *stage) publish(manifests ...string) Figures {
	s.Helper()
	figures, err := s.Publish(s.Context(), s.federation, s.templates(manifests...))
	require.NoError(s, err)
	return figures
}

func (s *stage) templates(manifests ...string) []Template {
	s.Helper()
	var all []Template
	for _, text := range manifests {
		made := template(s.T, strings.ReplaceAll(text, "NAMESPACE", s.namespace))
		made.Digest = text
		rendered, err := made.Manifest.MarshalJSON()
		require.NoError(s, err)
		for _, c := range []string{"a", "b"} {
			made.Shares = append(made.Shares, Share{Cluster: c, Digest: text, Rendered: rendered})
		}
		all = append(all, made)
	}
	return all
}

// done writes the status of an object with both clusters in one state.
func (s *stage) done(text string, state string) {
	s.Helper()
	made := s.templates(text)[0]
	var cells []accord.Cell
	for _, c := range []string{"a", "b"} {
		cells = append(cells, cell(made.ID, c, state))
	}
	require.NoError(s, s.WriteStatus(s.Context(), s.federation, made.ID, made.Decision(), cells))
}

func (s *stage) resource(r string) dynamic.ResourceInterface {
	group, name := "", r
	if i := strings.IndexByte(r, '.'); i >= 0 {
		name, group = r[:i], r[i+1:]
	}
	objects := s.objects.Resource(schema.GroupVersionResource{Group: group, Version: "v1", Resource: name})
	if r == "namespaces" || group == "apiextensions.k8s.io" {
		return objects
	}
	return objects.Namespace(s.namespace)
}

func (s *stage) get(r, name string) *unstructured.Unstructured {
	s.Helper()
	u, err := s.resource(r).Get(s.Context(), name, metav1.GetOptions{})
	require.NoError(s, err)
	return u
}

func (s *stage) gone(r, name string) bool {
	s.Helper()
	u, err := s.resource(r).Get(s.Context(), name, metav1.GetOptions{})
	if err == nil {
		return u.GetDeletionTimestamp() != nil && r == "namespaces"
	}
	require.True(s, apierrors.IsNotFound(err), "%v", err)
	return true
}

func (s *stage) eventually(what string, check func() bool) {
	s.Helper()
	require.Eventually(s, check, time.Minute, 50*time.Millisecond, what)
}

func (s *stage) create(r string, object map[string]any) {
	s.Helper()
	_, err := s.resource(r).Create(s.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
	require.NoError(s, err)
}

// observedAll reports whether status.observedGeneration equals the generation.
func observedAll(u *unstructured.Unstructured) bool {
	n, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return n == u.GetGeneration()
}

func web(app, image string) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {namespace: NAMESPACE, name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s}}
    spec: {containers: [{name: main, image: %q}]}
`, app, app, image)
}

func settings(value string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: NAMESPACE, name: settings}\ndata: {key: \"" + value + "\"}\n"
}

func recreated(s *stage) {
	s.publish(web("one", "nginx"))
	before := s.get("deployments.apps", "web")
	require.Equal(s, Figures{Published: 1}, s.publish(web("another", "nginx")), "a selector is immutable")
	after := s.get("deployments.apps", "web")
	require.NotEqual(s, before.GetUID(), after.GetUID())
	selector, _, _ := unstructured.NestedString(after.Object, "spec", "selector", "matchLabels", "app")
	require.Equal(s, "another", selector)
}

func anotherJob(s *stage) {
	job := func(image string) string {
		return "apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: NAMESPACE, name: migrate}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: " + image + "}]}}}\n"
	}
	s.publish(job("v1"))
	before := s.get("jobs.batch", "migrate")
	made := s.templates(job("v1"))[0]
	c := accord.Cell{Cluster: "a", Want: "d", Report: &accord.Report{Digest: "d", Status: accord.Reflect(map[string]any{
		"succeeded": int64(1), "startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:00:10Z",
		"conditions": []any{map[string]any{"type": "Complete", "status": "True", "lastTransitionTime": "2026-01-01T00:00:10Z"}},
	})}}
	require.NoError(s, s.WriteStatus(s.Context(), s.federation, made.ID, made.Decision(), []accord.Cell{c}))
	conditions, _, _ := unstructured.NestedSlice(s.get("jobs.batch", "migrate").Object, "status", "conditions")
	require.Len(s, conditions, 2, "the API server accepted the end")

	require.Equal(s, Figures{Published: 1}, s.publish(job("v2")))
	after := s.get("jobs.batch", "migrate")
	require.NotEqual(s, before.GetUID(), after.GetUID())
	require.Empty(s, after.Object["status"])
}

func refused(s *stage) {
	s.publish(web("one", "nginx"))
	s.done(web("one", "nginx"), "current")
	require.True(s, observedAll(s.get("deployments.apps", "web")))
	broken := strings.Replace(web("one", "nginx"), "replicas: 2", "replicas: 2\n  minReadySeconds: many", 1)
	require.Equal(s, Figures{Failed: 1}, s.publish(broken))
	require.False(s, observedAll(s.get("deployments.apps", "web")), "the hub does not have the decided version")
	s.done(broken, "current")
	require.False(s, observedAll(s.get("deployments.apps", "web")), "not even when the clusters have it")
	require.Equal(s, Figures{Published: 1}, s.publish(web("one", "nginx:2")))
	s.done(web("one", "nginx:2"), "current")
	require.True(s, observedAll(s.get("deployments.apps", "web")))
}

func demoted(s *stage) {
	pdb := "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {namespace: NAMESPACE, name: web}\nspec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}\n"
	s.publish(pdb)
	report := func(held bool) {
		made := s.templates(pdb)[0]
		made.Shares[1].Held = held
		var cells []accord.Cell
		for _, name := range []string{"a", "b"} {
			cells = append(cells, accord.Cell{Cluster: name, Want: "d", Report: &accord.Report{Digest: "d", Status: accord.Reflect(map[string]any{"currentHealthy": int64(2)})}})
		}
		require.NoError(s, s.WriteStatus(s.Context(), s.federation, made.ID, made.Decision(), cells))
	}
	report(false)
	before := s.get("poddisruptionbudgets.policy", "web")
	require.True(s, observedAll(before))
	templates := s.templates(pdb)
	templates[0].Shares[1].Held = true
	_, err := s.Publish(s.Context(), s.federation, templates)
	require.NoError(s, err)
	after := s.get("poddisruptionbudgets.policy", "web")
	require.Equal(s, before.GetGeneration(), after.GetGeneration(), "it has no pod template")
	require.False(s, observedAll(after))
	report(true)
	require.True(s, observedAll(s.get("poddisruptionbudgets.policy", "web")))
}

func namespaceGoes(s *stage) {
	s.publish(settings("1"))
	require.Equal(s, setID, s.get("namespaces", s.namespace).GetLabels()["applyset.kubernetes.io/part-of"])
	require.Equal(s, Figures{}, s.publish())
	require.True(s, s.gone("configmaps", "settings"))
	s.eventually("the namespace to go", func() bool { return s.gone("namespaces", s.namespace) })
}

func namespaceStays(s *stage) {
	s.publish(settings("1"), web("one", "nginx"))
	s.create("secrets", map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "theirs"}})
	s.publish()
	require.True(s, s.gone("deployments.apps", "web"))
	require.False(s, s.gone("namespaces", s.namespace))
	require.False(s, s.gone("secrets", "theirs"))
}

func boats(plural string) string {
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.mirror.example.com}
spec:
  group: mirror.example.com
  scope: Namespaced
  names: {plural: %s, kind: %s}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`, plural, plural, strings.ToUpper(plural[:1])+plural[1:len(plural)-1])
}

func definition(s *stage) {
	boat := "apiVersion: mirror.example.com/v1\nkind: Boat\nmetadata: {namespace: NAMESPACE, name: one}\nspec: {template: {spec: {containers: [{name: a}]}}}\n"
	s.publish(boat, boats("boats"))
	s.eventually("the boat to be there", func() bool { return !s.gone("boats.mirror.example.com", "one") })
	before := s.get("boats.mirror.example.com", "one").GetGeneration()
	s.publish(boat+"# another\n", boats("boats"))
	require.Equal(s, before+1, s.get("boats.mirror.example.com", "one").GetGeneration(), "it has a pod template")
	s.publish()
	s.eventually("the definition to go", func() bool {
		return s.gone("customresourcedefinitions.apiextensions.k8s.io", "boats.mirror.example.com")
	})
}

func definitionStays(s *stage) {
	s.publish(boats("ships"), settings("1"))
	s.eventually("ships to be served", func() bool {
		_, err := s.resource("ships.mirror.example.com").List(s.Context(), metav1.ListOptions{})
		return err == nil
	})
	s.create("ships.mirror.example.com", map[string]any{"apiVersion": "mirror.example.com/v1", "kind": "Ship", "metadata": map[string]any{"name": "theirs"}})
	s.publish(settings("1"))
	require.False(s, s.gone("customresourcedefinitions.apiextensions.k8s.io", "ships.mirror.example.com"))
	require.False(s, s.gone("ships.mirror.example.com", "theirs"))
}

func protected(s *stage) {
	s.publish("apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {namespace: NAMESPACE, name: data}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n")
	require.NotEmpty(s, s.get("persistentvolumeclaims", "data").GetFinalizers(), "the API server puts one on")
	s.publish()
	require.True(s, s.gone("persistentvolumeclaims", "data"))
}

func restarted(s *stage) {
	s.publish(web("one", "nginx"), settings("1"))
	s.done(web("one", "nginx"), "current")
	before := s.get("deployments.apps", "web")
	s.start()
	all, err := s.Federations(s.Context())
	require.NoError(s, err)
	require.Contains(s, all, s.federation)
	require.Equal(s, Figures{Published: 1}, s.publish(web("one", "nginx")))
	s.done(web("one", "nginx"), "current")
	require.Equal(s, before.GetResourceVersion(), s.get("deployments.apps", "web").GetResourceVersion(), "nothing was written")
	require.True(s, s.gone("configmaps", "settings"), "it is not wanted any more")
}

func unserved(s *stage) {
	figures := s.publish("apiVersion: nowhere.example.com/v1\nkind: Ghost\nmetadata: {namespace: NAMESPACE, name: one}\n", settings("1"),
		"apiVersion: v1\nkind: Secret\nmetadata: {namespace: NAMESPACE, name: token}\n")
	require.Equal(s, Figures{Published: 1, Unserved: 1, Skipped: 1}, figures)
	require.True(s, s.gone("secrets", "token"))
}

func twoOwners(s *stage) {
	s.publish(settings("1"))
	_, err := s.Publish(s.Context(), "demo/other", s.templates(settings("2")))
	require.NoError(s, err)
	value, _, _ := unstructured.NestedString(s.get("configmaps", "settings").Object, "data", "key")
	require.Equal(s, "1", value)
	require.NoError(s, s.Forget(s.Context(), "demo/other"))
	require.False(s, s.gone("configmaps", "settings"))
}

func scaledByOthers(s *stage) {
	s.publish(web("one", "nginx"))
	s.done(web("one", "nginx"), "current") // two replicas on each of two
	made := s.templates(web("one", "nginx"))[0]
	var cells []accord.Cell
	for _, name := range []string{"a", "b"} {
		c := cell(made.ID, name, "current")
		live := c.Report.Status.Map()
		for _, field := range []string{"replicas", "updatedReplicas", "availableReplicas", "readyReplicas"} {
			live[field] = int64(5)
		}
		c.Report.Status = accord.Reflect(live)
		cells = append(cells, c)
	}
	report := func() { require.NoError(s, s.WriteStatus(s.Context(), s.federation, made.ID, made.Decision(), cells)) }
	report()
	s.eventually("the sum to follow", func() bool {
		report()
		u := s.get("deployments.apps", "web")
		n, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
		running, _, _ := unstructured.NestedInt64(u.Object, "status", "replicas")
		return n == 10 && running == 10 && observedAll(u)
	})
	before := s.get("deployments.apps", "web").GetResourceVersion()
	require.Equal(s, Figures{Published: 1}, s.publish(web("one", "nginx")))
	report()
	require.Equal(s, before, s.get("deployments.apps", "web").GetResourceVersion(), "nothing new was decided")
}

func statusPutBack(s *stage) {
	s.publish(web("one", "nginx"))
	s.done(web("one", "nginx"), "older")
	for len(s.requested) > 0 {
		<-s.requested
	}
	_, err := s.resource("deployments.apps").Patch(s.Context(), "web", types.MergePatchType,
		[]byte(`{"status":{"observedGeneration":1,"replicas":9,"updatedReplicas":9}}`), metav1.PatchOptions{}, "status")
	require.NoError(s, err)
	select {
	case <-s.requested:
	case <-time.After(time.Minute):
		s.Fatal("nobody requested the status")
	}
	s.done(web("one", "nginx"), "older")
	require.False(s, observedAll(s.get("deployments.apps", "web")))
}

func labelPutBack(s *stage) {
	s.publish(settings("1"))
	_, err := s.resource("configmaps").Patch(s.Context(), "settings", types.MergePatchType,
		[]byte(`{"metadata":{"labels":null},"data":{"key":"by hand"}}`), metav1.PatchOptions{})
	require.NoError(s, err)
	s.eventually("it to be as it was", func() bool {
		u := s.get("configmaps", "settings")
		value, _, _ := unstructured.NestedString(u.Object, "data", "key")
		return value == "1" && len(u.GetLabels()) == 1
	})
}

func forgotten(s *stage) {
	s.publish(web("one", "nginx"), settings("1"))
	require.NoError(s, s.Forget(s.Context(), s.federation))
	require.True(s, s.gone("deployments.apps", "web"))
	require.True(s, s.gone("configmaps", "settings"))
}
