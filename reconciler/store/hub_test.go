package store

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// twoWriters checks that the leader and an agent do not undo each other's writes of the status of a Cluster.
func twoWriters(t *testing.T, cfg *rest.Config) {
	require.NoError(t, Install(t.Context(), cfg))
	c := clientFor(t, cfg)
	hub, agent := NewHub(c, c), NewHub(c, c)
	cluster := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "eu"}, Spec: v1alpha1.ClusterSpec{SyncMode: v1alpha1.SyncModePull}}
	require.NoError(t, c.Create(t.Context(), cluster))
	cached := cluster.DeepCopy()

	cluster.Status.Message = "the cluster answers"
	require.NoError(t, agent.PutStatus(t.Context(), cluster))
	cached.Status.Message = "no agent has reported yet"
	require.True(t, apierrors.IsConflict(hub.PutStatus(t.Context(), cached)), "the hub has not seen the report yet")

	cluster.Status.Message = "the cluster answers again"
	require.NoError(t, agent.PutStatus(t.Context(), cluster), "a writer knows the version that it wrote")
	require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(cluster), cached))
	require.Equal(t, "the cluster answers again", cached.Status.Message)
	cached.Status.Message = "its agent has reported no probe"
	require.NoError(t, hub.PutStatus(t.Context(), cached))
}

// secondOwner checks that a status without a wait is written although somebody else owns a part of the wait, as in the middle of a
// restoration.
func secondOwner(t *testing.T, cfg *rest.Config) {
	require.NoError(t, Install(t.Context(), cfg))
	c := clientFor(t, cfg)
	hub := NewHub(c, c)
	release := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "shop-0123456789ab"}}
	release.Spec = v1alpha1.ReleaseSpec{Federation: "shop", Revision: "main@sha1:0123456789abcdef0123456789abcdef01234567", Sources: []v1alpha1.SourceRevision{}}
	require.NoError(t, hub.Put(t.Context(), release))
	release.Status.WaitingFor = &v1alpha1.WaitingFor{Cluster: "eu", Message: "to become healthy"}
	require.NoError(t, hub.PutStatus(t.Context(), release))

	patch := []byte(`[{"op": "replace", "path": "/status/waitingFor/cluster", "value": "us"}]`)
	require.NoError(t, c.Status().Patch(t.Context(), release.DeepCopy(), client.RawPatch(types.JSONPatchType, patch), client.FieldOwner("somebody")))
	release.Status.WaitingFor = nil
	require.NoError(t, hub.PutStatus(t.Context(), release))
	stored := &v1alpha1.Release{}
	require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(release), stored))
	require.Nil(t, stored.Status.WaitingFor)
}

// approvedMeanwhile checks that a restoration keeps what a command wrote into the metadata of a record: its field manager is accord, too.
func approvedMeanwhile(t *testing.T, cfg *rest.Config) {
	require.NoError(t, Install(t.Context(), cfg))
	c := clientFor(t, cfg)
	hub := NewHub(c, c)
	release := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "shop-approved0123"}}
	release.Spec = v1alpha1.ReleaseSpec{Federation: "shop", Revision: "main@sha1:0123456789abcdef0123456789abcdef01234567", Sources: []v1alpha1.SourceRevision{}}
	require.NoError(t, hub.Put(t.Context(), release))
	require.NoError(t, hub.PutStatus(t.Context(), release))

	patch := []byte(`{"metadata": {"annotations": {"accord.dev/approved-by": "ada"}}}`)
	require.NoError(t, c.Patch(t.Context(), release.DeepCopy(), client.RawPatch(types.MergePatchType, patch), client.FieldOwner(v1alpha1.FieldManager)))
	require.NoError(t, hub.Replace(t.Context(), release))
	require.NoError(t, hub.Put(t.Context(), release))
	stored := &v1alpha1.Release{}
	require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(release), stored))
	require.Equal(t, "ada", stored.Annotations[v1alpha1.ApprovedByAnnotation])
	for _, m := range stored.ManagedFields {
		require.NotEqual(t, restorer, m.Manager, "an apply could not remove its fields")
	}
}

// withoutWarnings checks that no write of a record has the API server read it twice, to warn of fields that it does not know.
func withoutWarnings(t *testing.T, cfg *rest.Config) {
	require.NoError(t, Install(t.Context(), cfg))
	cfg = rest.CopyConfig(cfg)
	var asked []string
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPatch {
				asked = append(asked, r.URL.Query().Get("fieldValidation"))
			}
			return next.RoundTrip(r)
		})
	})
	c := clientFor(t, cfg)
	hub := NewHub(c, c)
	d := &v1alpha1.Delivery{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "quiet-eu"}, Spec: v1alpha1.DeliverySpec{Federation: "quiet", Cluster: "eu"}}
	require.NoError(t, hub.Put(t.Context(), d))
	require.NoError(t, hub.PutWhole(t.Context(), d))
	require.NoError(t, hub.PutStatus(t.Context(), d))
	require.Equal(t, []string{"Ignore", "Ignore", "Ignore"}, asked)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// whole checks that one request writes the spec and the status of a Delivery, that later writes of either replace it, and that the
// Delivery which followed a deleted one does not get the status.
func whole(t *testing.T, cfg *rest.Config) {
	require.NoError(t, Install(t.Context(), cfg))
	c := clientFor(t, cfg)
	hub := NewHub(c, c)
	d := &v1alpha1.Delivery{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "whole-eu"}}
	d.Spec = v1alpha1.DeliverySpec{Federation: "whole", Cluster: "eu", Revision: "1", Digest: "1"}
	require.NoError(t, hub.Put(t.Context(), d))
	d.Status = v1alpha1.DeliveryStatus{ObservedGeneration: 1, Message: "first", LastAppliedRevision: "1"}
	require.NoError(t, hub.PutStatus(t.Context(), d))
	stored := func() *v1alpha1.Delivery {
		s := &v1alpha1.Delivery{}
		require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(d), s))
		return s
	}

	d.Spec.Revision, d.Status = "2", v1alpha1.DeliveryStatus{ObservedGeneration: 2, Message: "second"}
	require.NoError(t, hub.PutWhole(t.Context(), d))
	require.EqualValues(t, 2, d.Generation)
	require.Equal(t, d.Spec, stored().Spec)
	require.Equal(t, d.Status, stored().Status)

	d.Spec.Revision = "3"
	require.NoError(t, hub.Put(t.Context(), d))
	require.EqualValues(t, 3, stored().Generation)
	require.Equal(t, "second", stored().Status.Message, "a spec alone keeps the status")
	d.Status = v1alpha1.DeliveryStatus{ObservedGeneration: 3, ShortRevision: "3"}
	require.NoError(t, hub.PutStatus(t.Context(), d))
	require.Equal(t, d.Status, stored().Status, "a status alone replaces the one that came with the spec")

	require.NoError(t, c.Delete(t.Context(), stored()))
	require.True(t, apierrors.IsConflict(hub.PutWhole(t.Context(), d)), "the Delivery with this UID is gone")
	again := d.DeepCopy()
	require.NoError(t, hub.Put(t.Context(), again))
	err := hub.PutWhole(t.Context(), d)
	require.True(t, apierrors.IsInvalid(err), "another Delivery has the name: %v", err)
	require.NoError(t, c.Delete(t.Context(), stored()))
	requireOneCache(t, cfg, "deliveries")
}

// requireOneCache checks that the API server has one watch cache for a kind, although it has served two versions of the kind.
func requireOneCache(t *testing.T, cfg *rest.Config, resource string) {
	c, err := rest.HTTPClientFor(cfg)
	require.NoError(t, err)
	answer, err := c.Get(cfg.Host + "/metrics")
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), fmt.Sprintf("apiserver_watch_cache_initializations_total{group=%q,resource=%q} 1\n", v1alpha1.GroupVersion.Group, resource))
}
