package store

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
