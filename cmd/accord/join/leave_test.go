package join

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/hub"
)

// TestFinalizersOfAChangingCluster has the Cluster change between the moments at which leave reads and writes it.
func TestFinalizersOfAChangingCluster(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	stored := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "eu-1", Finalizers: []string{"theirs", v1alpha1.RecordRemovalFinalizer}}}
	changed := false
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(stored).WithInterceptorFuncs(interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, options ...client.PatchOption) error {
			if !changed {
				changed = true
				now := &v1alpha1.Cluster{}
				require.NoError(t, c.Get(ctx, client.ObjectKeyFromObject(o), now))
				now.Finalizers = append(now.Finalizers, "another")
				require.NoError(t, c.Update(ctx, now))
			}
			return c.Patch(ctx, o, p, options...)
		},
	}).Build()
	read := &v1alpha1.Cluster{}
	require.NoError(t, c.Get(t.Context(), client.ObjectKey{Name: "eu-1"}, read))
	l := &leaving{hub: &hub.Hub{WithWatch: c}, cluster: read}
	require.NoError(t, l.update(t.Context(), func(finalizers []string) []string { return without(finalizers, v1alpha1.RecordRemovalFinalizer) }))
	now := &v1alpha1.Cluster{}
	require.NoError(t, c.Get(t.Context(), client.ObjectKey{Name: "eu-1"}, now))
	require.Equal(t, []string{"theirs", "another"}, now.Finalizers)
	require.Equal(t, now.Finalizers, l.cluster.Finalizers)
}
