package store

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// TestMemoryBehavesLikeAHub checks the generation, the status and the lists of records.
func TestMemoryBehavesLikeAHub(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	m := NewMemory(scheme)
	delivery := func(name, revision string) *v1alpha1.Delivery {
		return &v1alpha1.Delivery{
			ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: name, Labels: map[string]string{v1alpha1.FederationLabel: "prod"}},
			Spec:       v1alpha1.DeliverySpec{Revision: revision},
		}
	}
	require.True(t, apierrors.IsNotFound(m.PutStatus(t.Context(), delivery("prod-eu", ""))), "a status of an absent record")

	d := delivery("prod-eu", "1")
	require.NoError(t, m.Put(t.Context(), d))
	require.EqualValues(t, 1, d.Generation)
	d.Status.InventoryCount = 1
	require.NoError(t, m.PutStatus(t.Context(), d))

	same := delivery("prod-eu", "1")
	require.NoError(t, m.Put(t.Context(), same))
	require.EqualValues(t, 1, same.Generation)
	require.Equal(t, d.Status, same.Status, "the status stays")
	changed := delivery("prod-eu", "2")
	require.NoError(t, m.Put(t.Context(), changed))
	require.EqualValues(t, 2, changed.Generation)

	names := func(namespace, federation string) (all []string) {
		list := &v1alpha1.DeliveryList{}
		require.NoError(t, m.List(t.Context(), list, namespace, federation))
		for _, d := range list.Items {
			all = append(all, d.Name)
		}
		return all
	}
	require.NoError(t, m.Put(t.Context(), &v1alpha1.Release{ObjectMeta: d.ObjectMeta}))
	require.Equal(t, []string{"prod-eu"}, names("demo", "prod"))
	require.Empty(t, names("demo", "other"))
	require.Empty(t, names("other", "prod"))
	require.NoError(t, m.Delete(t.Context(), d))
	require.NoError(t, m.Delete(t.Context(), d), "deleting twice is no error")
	require.Empty(t, names("demo", "prod"))
}
