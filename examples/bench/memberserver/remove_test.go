package memberserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func deleteWithAPrecondition(t *testing.T, c *rest.Config, space string) {
	objects := dynamicFor(t, c).Resource(configMaps).Namespace(space)
	first, err := apply(t, objects, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`, "accord", true)
	require.NoError(t, err)
	other, uid := types.UID("11111111-2222-3333-4444-555555555555"), first.GetUID()
	background := metav1.DeletePropagationBackground
	err = objects.Delete(t.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}, PropagationPolicy: &background})
	require.True(t, apierrors.IsConflict(err), "%v", err)
	old := "1"
	err = objects.Delete(t.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &old}})
	require.True(t, apierrors.IsConflict(err), "%v", err)
	require.NoError(t, objects.Delete(t.Context(), "a", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}))
	require.NoError(t, objects.Delete(t.Context(), "a", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}, PropagationPolicy: &background}))
	err = objects.Delete(t.Context(), "a", metav1.DeleteOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
	again, err := apply(t, objects, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`, "accord", true)
	require.NoError(t, err)
	require.NotEqual(t, uid, again.GetUID())
}

func deleteWaitsForFinalizers(t *testing.T, c *rest.Config, space string) {
	objects := dynamicFor(t, c).Resource(configMaps).Namespace(space)
	_, err := apply(t, objects, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [example.com/wait]}}`, "accord", true)
	require.NoError(t, err)
	require.NoError(t, objects.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	marked, err := objects.Get(t.Context(), "a", metav1.GetOptions{})
	require.NoError(t, err)
	require.NotNil(t, marked.GetDeletionTimestamp())
	_, err = apply(t, objects, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`, "accord", true)
	require.NoError(t, err)
	_, err = objects.Get(t.Context(), "a", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%v", err)
}

func TestANamespaceGoesWithWhatIsInIt(t *testing.T) {
	c := startOne(t)
	d := dynamicFor(t, c)
	_, err := apply(t, d.Resource(namespaces), `{apiVersion: v1, kind: Namespace, metadata: {name: shop}}`, "accord", true)
	require.NoError(t, err)
	_, err = apply(t, d.Resource(configMaps).Namespace("shop"), `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`, "accord", true)
	require.NoError(t, err)
	require.NoError(t, d.Resource(namespaces).Delete(t.Context(), "shop", metav1.DeleteOptions{}))
	list, err := d.Resource(configMaps).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Empty(t, list.Items)
}
