package memberserver

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycore "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/clusters"
	"github.com/accord-dev/accord/clusters/local/localtest"
)

func TestDiscoveryIsThatOfARealServer(t *testing.T) {
	real, err := discovery.NewDiscoveryClientForConfig(localtest.Start(t, "real").Config())
	require.NoError(t, err)
	for path, kept := range map[string][]byte{"api": coreAnswer, "apis": groupsAnswer} {
		answer, err := real.RESTClient().Get().AbsPath("/"+path).SetHeader("Accept", aggregated).DoRaw(t.Context())
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile("discovery/"+path+".json", append(answer, '\n'), 0o644))
			continue
		}
		require.JSONEq(t, sorted(t, answer), sorted(t, kept), "go test ./examples/bench/memberserver -run Discovery -update")
	}
	want, err := real.ServerVersion()
	require.NoError(t, err)
	got, err := discovery.NewDiscoveryClientForConfigOrDie(startOne(t)).ServerVersion()
	require.NoError(t, err)
	require.Equal(t, want.GitVersion, got.GitVersion)
}

// sorted has the groups in the order of their names: a real server orders some of them as they come.
func sorted(t *testing.T, answer []byte) string {
	t.Helper()
	var list map[string]any
	require.NoError(t, json.Unmarshal(answer, &list))
	slices.SortFunc(list["items"].([]any), func(a, b any) int {
		name := func(group any) string {
			name, _ := group.(map[string]any)["metadata"].(map[string]any)["name"].(string)
			return name
		}
		return len(name(a)) - len(name(b))
	})
	text, err := json.Marshal(list)
	require.NoError(t, err)
	return string(text)
}

func TestDiscoveryOfOldSaysTheSame(t *testing.T) {
	c := startOne(t)
	d := discovery.NewDiscoveryClientForConfigOrDie(c)
	old := discovery.NewDiscoveryClientForConfigOrDie(c)
	old.UseLegacyDiscovery = true
	for _, client := range []*discovery.DiscoveryClient{d, old} {
		groups, err := restmapper.GetAPIGroupResources(client)
		require.NoError(t, err)
		mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(deployments.GroupVersion().WithKind("Deployment").GroupKind())
		require.NoError(t, err)
		require.Equal(t, deployments, mapping.Resource)
		require.Equal(t, meta.RESTScopeNamespace, mapping.Scope)
		_, lists, err := client.ServerGroupsAndResources()
		require.NoError(t, err)
		kinds := 0
		for _, list := range lists {
			kinds += len(list.APIResources)
		}
		require.Greater(t, kinds, 50)
	}
}

func typedClient(t *testing.T, c *rest.Config, space string) {
	k := typedFor(t, c)
	created, err := k.CoreV1().ConfigMaps(space).Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "v"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, created.UID)
	require.Equal(t, metav1.ManagedFieldsOperationUpdate, created.ManagedFields[0].Operation)
	_, err = k.CoreV1().ConfigMaps(space).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	require.True(t, apierrors.IsAlreadyExists(err), "%v", err)
	_, err = k.CoreV1().ConfigMaps("nowhere").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)

	applied, err := k.CoreV1().ConfigMaps(space).Apply(t.Context(),
		applycore.ConfigMap("a", space).WithData(map[string]string{"l": "w"}), metav1.ApplyOptions{FieldManager: "accord", Force: true})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"k": "v", "l": "w"}, applied.Data)

	shop, err := k.CoreV1().Namespaces().Apply(t.Context(), applycore.Namespace("shop"), metav1.ApplyOptions{FieldManager: "accord", Force: true})
	require.NoError(t, err)
	require.Equal(t, corev1.NamespaceActive, shop.Status.Phase)
	require.Equal(t, "shop", shop.Labels["kubernetes.io/metadata.name"])
	require.Zero(t, shop.Generation)
}

// controllerRuntimeClient does what people write who do not use the bare client: a Patch of type client.Apply.
func controllerRuntimeClient(t *testing.T, config *rest.Config, space string) {
	c, err := client.New(config, client.Options{})
	require.NoError(t, err)
	u := object(t, web)
	u.SetNamespace(space)
	require.NoError(t, c.Patch(t.Context(), u, client.Apply, client.FieldOwner("accord"), client.ForceOwnership))
	require.NotEmpty(t, u.GetResourceVersion())
	require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(u), u))
	require.NoError(t, c.Delete(t.Context(), u))
	require.True(t, apierrors.IsNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(u), u)))
}

func metadataClient(t *testing.T, c *rest.Config, space string) {
	m, err := metadata.NewForConfig(c)
	require.NoError(t, err)
	text, err := object(t, web).MarshalJSON()
	require.NoError(t, err)
	objects := m.Resource(deployments).Namespace(space)
	applied, err := objects.Patch(t.Context(), "web", types.ApplyPatchType, text, metav1.PatchOptions{FieldManager: "accord"})
	require.NoError(t, err)
	require.EqualValues(t, 1, applied.Generation)
	require.Len(t, applied.ManagedFields, 1)
	got, err := objects.Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, applied.UID, got.UID)
	list, err := objects.List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	require.NotEmpty(t, list.ResourceVersion)
}

func errorsAreStatuses(t *testing.T, c *rest.Config, space string) {
	k := typedFor(t, c)
	_, err := k.CoreV1().ConfigMaps(space).Get(t.Context(), "nothing", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	require.EqualError(t, err, `configmaps "nothing" not found`)
	err = k.RESTClient().Get().AbsPath("/apis/example.com/v1/things").Do(t.Context()).Error()
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	_, err = k.CoreV1().ConfigMaps(space).List(t.Context(), metav1.ListOptions{LabelSelector: "a in"})
	require.True(t, apierrors.IsBadRequest(err), "%v", err)
	_, err = k.CoreV1().ConfigMaps(space).List(t.Context(), metav1.ListOptions{FieldSelector: "data.k=v"})
	require.True(t, apierrors.IsBadRequest(err), "%v", err)

	stranger := rest.AnonymousClientConfig(c)
	stranger.BearerToken = "guessed"
	_, err = typedFor(t, stranger).CoreV1().ConfigMaps(space).List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsUnauthorized(err), "%v", err)
}

func TestWhatDoesNotExistHereSaysSo(t *testing.T) {
	k := typedFor(t, startOne(t))
	put := k.CoreV1().RESTClient().Put().Namespace("default").Resource("configmaps").Name("a").Body(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	require.True(t, apierrors.IsMethodNotSupported(put.Do(t.Context()).Error()))
	_, err := k.CoreV1().ConfigMaps("default").Patch(t.Context(), "a", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	require.True(t, apierrors.IsUnsupportedMediaType(err), "%v", err)
	protobuf := k.CoreV1().RESTClient().Get().Namespace("default").Resource("configmaps").SetHeader("Accept", "application/vnd.kubernetes.protobuf")
	require.True(t, apierrors.IsNotAcceptable(protobuf.Do(t.Context()).Error()))
}

func TestOurOwnConnection(t *testing.T) {
	m, err := clusters.Connect(startOne(t), "member")
	require.NoError(t, err)
	facts, err := clusters.Probe(t.Context(), m)
	require.NoError(t, err)
	require.Equal(t, "v1.36.3", facts.Version)
	served, err := m.Kinds.Discover()
	require.NoError(t, err)
	require.Empty(t, served.Unavailable)
}

func TestClosedServersAreGone(t *testing.T) {
	h, err := NewHost()
	require.NoError(t, err)
	s, err := h.Start("member")
	require.NoError(t, err)
	k := typedFor(t, s.Config())
	_, err = k.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	other, err := h.Start("other")
	require.NoError(t, err)
	defer other.Close()
	require.NoError(t, s.Close())
	_, err = k.CoreV1().Namespaces().List(context.Background(), metav1.ListOptions{})
	require.Error(t, err)

	mistaken := other.Config() // trusts the certificate of the one that is gone
	mistaken.CAData = s.Config().CAData
	_, err = typedFor(t, mistaken).CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	require.ErrorContains(t, err, "certificate")
	_, err = typedFor(t, other.Config()).CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
}
