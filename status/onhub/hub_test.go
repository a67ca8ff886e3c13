// Package onhub has no code: it shows the statuses that package status makes to a real API server with the definitions of
// accord, and to the real kubectl. Package status itself does nothing and reaches nothing; its tests are quick.
package onhub

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

// hub is an API server with the definitions, and what talks to it.
type hub struct {
	client.Client
	kubectl, kubeconfig string
}

func TestOnAHub(t *testing.T) {
	h := start(t)
	t.Run("statuses of a large fleet are accepted and read back as they were", h.acceptsLargeFleets)
	t.Run("kubectl wait concludes what the truth table says", h.agreesWithTheTable)
	t.Run("kubectl wait on a Release that is on its way", h.followsOneRelease)
	t.Run("kubectl wait on jsonpaths", h.knowsWhichPathsAreSafe)
	t.Run("kubectl patches the health scripts into Argo CD", h.patchesArgoCD)
}

func start(t *testing.T) *hub {
	plane := localtest.Start(t, "hub")
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, apiextensionsv1.AddToScheme, clientgoscheme.AddToScheme} {
		require.NoError(t, add(scheme))
	}
	c, err := client.New(plane.Config(), client.Options{Scheme: scheme})
	require.NoError(t, err)
	crds, err := v1alpha1.CRDs()
	require.NoError(t, err)
	for _, crd := range crds {
		require.NoError(t, c.Create(t.Context(), crd))
	}
	for _, list := range []client.ObjectList{&v1alpha1.FederationList{}, &v1alpha1.ClusterList{}, &v1alpha1.ReleaseList{}, &v1alpha1.DeliveryList{}, &v1alpha1.FederatedObjectList{}} {
		require.NoError(t, wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			return c.List(ctx, list) == nil, nil
		}))
	}
	path, err := exec.CommandContext(t.Context(), "go", "tool", "-n", "kubectl").Output()
	require.NoError(t, err)
	return &hub{c, strings.TrimSpace(string(path)), plane.Kubeconfig()}
}

// run is one kubectl: what it printed, errors too, and whether it ended well.
func (h *hub) run(t *testing.T, args ...string) (string, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, h.kubectl, append([]string{"--kubeconfig", h.kubeconfig, "-n", "default"}, args...)...).CombinedOutput()
	require.NoError(t, ctx.Err(), "kubectl %s hangs", strings.Join(args, " "))
	return string(out), err == nil
}

// specs are the least that each kind accepts, and one field that may be changed to raise the generation.
var specs = map[string]struct {
	spec  map[string]any
	field string
}{
	"Release": {map[string]any{
		"federation": "prod", "revision": "main@sha1:4f2c", "sources": []any{map[string]any{"name": "main", "revision": "main@sha1:4f2c"}},
	}, "planDigest"},
	"Delivery":        {map[string]any{"federation": "prod", "cluster": "eu", "revision": "main@sha1:4f2c", "digest": "a"}, "digest"},
	"FederatedObject": {map[string]any{"federation": "prod", "template": map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}}, "policy"},
	"Federation":      {map[string]any{"prune": true, "sources": []any{map[string]any{"name": "main", "url": "https://git.example.com/shop.git"}}}, "interval"},
	"Cluster":         {map[string]any{}, "provider"},
}

// create an object at generation 1.
func (h *hub) create(t *testing.T, kind, name string, labels map[string]string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{"spec": runtime.DeepCopyJSON(specs[kind].spec)}}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind))
	u.SetName(name)
	u.SetLabels(labels)
	if kind != "Cluster" {
		u.SetNamespace("default")
	}
	require.NoError(t, h.Create(t.Context(), u))
	return u
}

// next changes the spec: the generation is one higher.
func (h *hub) next(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	before := u.GetGeneration()
	value := fmt.Sprintf("%ds", 60+before) // the interval of a Federation is a time; of the others, any text will do
	require.NoError(t, unstructured.SetNestedField(u.Object, value, "spec", specs[u.GetKind()].field))
	require.NoError(t, h.Update(t.Context(), u))
	require.Equal(t, before+1, u.GetGeneration())
}

// report writes a status whole, in one request.
func (h *hub) report(t *testing.T, u *unstructured.Unstructured, status map[string]any) {
	t.Helper()
	u.Object["status"] = runtime.DeepCopyJSON(status)
	require.NoError(t, h.Status().Update(t.Context(), u))
}
