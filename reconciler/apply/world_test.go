package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/local/localtest"
	"github.com/accord-dev/accord/internal/compact"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/apply/mutation"
	"github.com/accord-dev/accord/reconciler/apply/ownership"
	"github.com/accord-dev/accord/render"
	"github.com/accord-dev/accord/status/kind"
)

// plane is the one member that all tests of this package share; each test has federations and namespaces of its own.
var plane *localtest.ControlPlane

func TestMain(m *testing.M) {
	os.Exit(withPlane(m))
}

func withPlane(m *testing.M) int {
	dir, err := os.MkdirTemp("", "apply")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	member, err := localtest.Launch(dir, "member")
	if err != nil {
		panic(err)
	}
	defer member.Kill()
	plane = member.Planes["member"]
	return m.Run()
}

// world is one federation and its view of the member, as the loops have it: what the watches would have told, the
// inventory of the last delivery, and a count of what is sent.
type world struct {
	*testing.T
	federation string
	namespace  string
	plane      *localtest.ControlPlane
	member     *clusters.Member
	kubectl    *clusters.Member // somebody else
	sent       atomic.Int64
	recorded   [][]string
	// meanwhile is called before a request of ours is sent.
	meanwhile func(r *http.Request)

	options   Options
	live      live.Objects
	inventory []string
}

func newWorld(t *testing.T, federation string) *world { return newWorldOn(t, plane, federation) }

func newWorldOn(t *testing.T, plane *localtest.ControlPlane, federation string) *world {
	w := &world{T: t, federation: "default/" + federation, namespace: federation, plane: plane, live: live.Objects{}}
	w.member = w.connect("accord", func(rt http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			w.sent.Add(1)
			if w.meanwhile != nil {
				w.meanwhile(r)
			}
			return rt.RoundTrip(r)
		})
	})
	w.kubectl = w.connect("kubectl", nil)
	w.options = Options{Prune: true, Record: func(_ context.Context, inventory []string) error {
		w.recorded = append(w.recorded, inventory)
		return nil
	}}
	return w
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (w *world) connect(agent string, wrap func(http.RoundTripper) http.RoundTripper) *clusters.Member {
	cfg := rest.CopyConfig(w.plane.Config())
	cfg.UserAgent = agent
	if wrap != nil {
		cfg.Wrap(wrap)
	}
	m, err := clusters.Connect(cfg, "member")
	require.NoError(w, err)
	w.Cleanup(m.Close)
	return m
}

// worldOf is a name for the world of a case.
func worldOf(prefix, name string) string {
	return fmt.Sprintf("%s-%08x", prefix, crc32.ChecksumIEEE([]byte(name)))
}

// target reads the documents of a YAML text; NS stands for the namespace of the test.
func (w *world) target(text string) propagate.ClusterPlan {
	target := propagate.ClusterPlan{Cluster: "member"}
	for doc := range strings.SplitSeq(strings.ReplaceAll(text, "NS", w.namespace), "\n---\n") {
		if strings.TrimSpace(doc) == "" {
			continue
		}
		u := &unstructured.Unstructured{}
		require.NoError(w, yaml.Unmarshal([]byte(doc), &u.Object))
		target.Objects = append(target.Objects, w.placed(u))
	}
	return target
}

// placed marks an object as package propagate does.
func (w *world) placed(u *unstructured.Unstructured) propagate.Placed {
	id, digest := manifest.IDOf(u), render.Digest(u)
	u.SetLabels(with(u.GetLabels(), v1alpha1.PartOfLabel, applyset.ID(w.federation)))
	u.SetAnnotations(with(u.GetAnnotations(), v1alpha1.DigestAnnotation, digest))
	text, err := json.Marshal(u.Object)
	require.NoError(w, err)
	return propagate.Placed{Rendered: &propagate.Rendered{ID: id, GVK: u.GroupVersionKind(), Digest: digest, Body: compact.Whole(text), Yields: kind.Of(id.GroupKind()).Yields}}
}

func with(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

// deliver looks, delivers, and looks again, as the watches would.
func (w *world) deliver(target propagate.ClusterPlan) live.Outcome {
	w.Helper()
	w.look(target)
	before := w.sent.Load()
	outcome, err := w.attempt(target)
	require.NoError(w, err)
	require.LessOrEqual(w, int64(outcome.Requests), w.sent.Load()-before, "requests are counted, discovery comes on top")
	w.inventory = outcome.Inventory
	w.look(target)
	w.live.Settle(outcome.Answers)
	return outcome
}

// attempt is a delivery by what was seen last.
func (w *world) attempt(target propagate.ClusterPlan) (live.Outcome, error) {
	return Deliver(w.Context(), w.member, w.federation, target, &w.live, read(w.inventory...), w.options)
}

// read is an inventory.
func read(entries ...string) *live.Inventory {
	inv, err := live.ParseInventory(entries)
	if err != nil {
		panic(err)
	}
	return inv
}

// seenIn returns the observed object, and the zero value for one that was not observed.
func seenIn(l *live.Objects, id manifest.ID) live.Object {
	seen, _ := l.Get(id)
	return seen
}

// delivered is a delivery without trouble.
func (w *world) delivered(target propagate.ClusterPlan) live.Outcome {
	w.Helper()
	outcome := w.deliver(target)
	require.Empty(w, outcome.Errors)
	return outcome
}

// look reads everything that carries our label, of the kinds of the target and of the inventory.
func (w *world) look(target propagate.ClusterPlan) {
	w.Helper()
	wants, kinds := map[manifest.ID]*propagate.Rendered{}, map[schema.GroupKind]bool{}
	for _, p := range target.Objects {
		wants[p.ID] = p.Rendered
		kinds[p.ID.GroupKind()] = true
	}
	for id := range read(w.inventory...).All() {
		kinds[id.GroupKind()] = true
	}
	var objects live.Objects
	for gk := range kinds {
		mapping, err := w.kubectl.Kinds.Mapping(gk.WithVersion(""))
		if err != nil {
			continue
		}
		list, err := w.kubectl.Objects.Resource(mapping.Resource).List(w.Context(), metav1.ListOptions{LabelSelector: v1alpha1.PartOfLabel + "=" + applyset.ID(w.federation)})
		require.NoError(w, err)
		for i := range list.Items {
			u := &list.Items[i]
			id := manifest.IDOf(u)
			objects.Put(id, w.compared(u, wants[id], live.Observe(u, wants[id], seenIn(&w.live, id), live.Proof{})))
		}
	}
	w.live = objects
}

// compared compares the values, as the state does.
func (w *world) compared(u *unstructured.Unstructured, want *propagate.Rendered, seen live.Object) live.Object {
	if want == nil || !seen.Intact || seen.Digest != want.Digest || w.options.Book != nil {
		return seen
	}
	var applied map[string]any
	require.NoError(w, utiljson.Unmarshal(want.Body.Bytes(), &applied))
	owners := ownership.Of(u)
	fields := mutation.Compare(applied, u.Object, seen.Yielded, owners)
	return seen.WithComparison(fields, seen.Beyond(applied, u.Object, owners), false)
}

// get is an object as it is, nil if it is not there.
func (w *world) get(kind, namespace, name string) *unstructured.Unstructured {
	w.Helper()
	mapping, err := w.kubectl.Kinds.Mapping(gvkOf(kind))
	require.NoError(w, err)
	u, err := w.kubectl.Objects.Resource(mapping.Resource).Namespace(namespace).Get(w.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return u
}

// create makes an object that is not ours.
func (w *world) create(text string) {
	w.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(w, yaml.Unmarshal([]byte(strings.ReplaceAll(text, "NS", w.namespace)), &u.Object))
	mapping, err := w.kubectl.Kinds.Mapping(u.GroupVersionKind())
	require.NoError(w, err)
	_, err = w.kubectl.Objects.Resource(mapping.Resource).Namespace(u.GetNamespace()).Create(w.Context(), u, metav1.CreateOptions{FieldManager: "kubectl-create"})
	require.NoError(w, err)
}

// edit does what kubectl edit does: it reads, changes and writes the whole object.
func (w *world) edit(kind, name string, change func(u *unstructured.Unstructured)) {
	w.Helper()
	u := w.get(kind, w.namespace, name)
	require.NotNil(w, u)
	change(u)
	mapping, err := w.kubectl.Kinds.Mapping(gvkOf(kind))
	require.NoError(w, err)
	_, err = w.kubectl.Objects.Resource(mapping.Resource).Namespace(w.namespace).Update(w.Context(), u, metav1.UpdateOptions{FieldManager: "kubectl-edit"})
	require.NoError(w, err)
}

func (w *world) remove(kind, name string) {
	w.Helper()
	mapping, err := w.kubectl.Kinds.Mapping(gvkOf(kind))
	require.NoError(w, err)
	require.NoError(w, w.kubectl.Objects.Resource(mapping.Resource).Namespace(w.namespace).Delete(w.Context(), name, metav1.DeleteOptions{}))
}

// groups of the kinds that are not of the core group.
var groups = map[string]string{
	"Deployment": "apps", "Job": "batch", "CustomResourceDefinition": "apiextensions.k8s.io",
	"Kustomization": "kustomize.toolkit.fluxcd.io", "Workflow": "argoproj.io", "Gadget": "a.io",
	"Role": "rbac.authorization.k8s.io", "RoleBinding": "rbac.authorization.k8s.io",
}

func gvkOf(kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: groups[kind], Version: "v1", Kind: kind}
}

func (w *world) id(kind, name string) manifest.ID {
	return manifest.ID{Group: gvkOf(kind).Group, Kind: kind, Namespace: w.namespace, Name: name}
}

const namespaceYAML = `
apiVersion: v1
kind: Namespace
metadata: {name: NS}
---
`

func configMap(name, value string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: NS}\ndata: {key: %q}\n---\n", name, value)
}

const deploymentYAML = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: NS}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx:1.29
        args: [a, b]
        resources: {requests: {cpu: 1000m}}
        ports: [{containerPort: 80}, {containerPort: 53, protocol: UDP}]
        env: [{name: A, value: "1"}]
      volumes: [{name: tmp, emptyDir: {}}]
---
`

// changeKey edits a ConfigMap.
func changeKey(value string) func(*unstructured.Unstructured) {
	return func(u *unstructured.Unstructured) { u.Object["data"] = map[string]any{"key": value} }
}
