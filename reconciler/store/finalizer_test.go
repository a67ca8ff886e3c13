package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestRemoveFinalizerOfOthers removes a finalizer from a Cluster that changed since it was read: nothing is removed.
func TestRemoveFinalizerOfOthers(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	deleted := &metav1.Time{Time: time.Now()}
	is := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{
		Name: "eu-1", UID: "2", DeletionTimestamp: deleted, Finalizers: []string{"example.com/others", v1alpha1.RecordRemovalFinalizer},
	}}
	for state, was := range map[string]metav1.ObjectMeta{
		"the other one was not there": {Name: "eu-1", UID: "2", Finalizers: []string{v1alpha1.RecordRemovalFinalizer}},
		"it was another Cluster":      {Name: "eu-1", UID: "1", Finalizers: is.Finalizers},
	} {
		t.Run(state, func(t *testing.T) {
			hub := fake.NewClientBuilder().WithScheme(scheme).WithObjects(is.DeepCopy()).Build()
			require.Error(t, RemoveFinalizer(t.Context(), hub, &v1alpha1.Cluster{ObjectMeta: was}))
			now := &v1alpha1.Cluster{}
			require.NoError(t, hub.Get(t.Context(), client.ObjectKeyFromObject(is), now))
			require.Equal(t, is.Finalizers, now.Finalizers)
		})
	}
	hub := fake.NewClientBuilder().WithScheme(scheme).Build()
	require.NoError(t, RemoveFinalizer(t.Context(), hub, is.DeepCopy()), "it is gone")
	require.True(t, apierrors.IsNotFound(hub.Get(t.Context(), client.ObjectKeyFromObject(is), &v1alpha1.Cluster{})))
}
