package store

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// changedFinalizers removes a finalizer from a Cluster that changed since it was read: nothing is removed, and nobody is alarmed.
func changedFinalizers(t *testing.T, cfg *rest.Config) {
	require.NoError(t, Install(t.Context(), cfg))
	hub := clientFor(t, cfg)
	const others = "example.com/others"
	is := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "changed", Finalizers: []string{others, v1alpha1.RecordRemovalFinalizer}}}
	require.NoError(t, hub.Create(t.Context(), is))
	stored := func() *v1alpha1.Cluster {
		c := &v1alpha1.Cluster{}
		require.NoError(t, hub.Get(t.Context(), client.ObjectKeyFromObject(is), c))
		return c
	}
	for state, was := range map[string]metav1.ObjectMeta{
		"the other one was not there": {Name: is.Name, UID: is.UID, Finalizers: []string{v1alpha1.RecordRemovalFinalizer}},
		"it was another Cluster":      {Name: is.Name, UID: "1", Finalizers: is.Finalizers},
		"it was the third":            {Name: is.Name, UID: is.UID, Finalizers: []string{others, others, v1alpha1.RecordRemovalFinalizer}},
	} {
		require.NoError(t, RemoveFinalizer(t.Context(), hub, &v1alpha1.Cluster{ObjectMeta: was}), state)
		require.Equal(t, is.Finalizers, stored().Finalizers, state)
	}
	require.NoError(t, RemoveFinalizer(t.Context(), hub, stored()))
	require.Equal(t, []string{others}, stored().Finalizers)
	require.NoError(t, hub.Patch(t.Context(), stored(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))))
	require.NoError(t, hub.Delete(t.Context(), stored()))
	require.NoError(t, RemoveFinalizer(t.Context(), hub, is), "it is gone")
	require.True(t, apierrors.IsNotFound(hub.Get(t.Context(), client.ObjectKeyFromObject(is), &v1alpha1.Cluster{})))
}
