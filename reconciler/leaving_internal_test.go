package reconciler

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/store"
)

// unwritable is a store that rejects every status.
type unwritable struct{ store.Store }

func (unwritable) PutStatus(context.Context, client.Object) error {
	return errors.New("the hub is out of space")
}

// TestLeavingIsBounded: a Cluster waits for what cannot be written down, and not for ever.
func TestLeavingIsBounded(t *testing.T) {
	scheme, err := newScheme()
	require.NoError(t, err)
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod", UID: "1"}}
	for _, c := range []struct {
		state   string
		deleted time.Duration // ago
		opened  bool          // the Federation was looked at
		broken  bool          // its status cannot be written
		goes    bool
		told    []string // reasons of events
	}{
		{"all is written down", 0, true, false, true, []string{clusterLeft}},
		{"all is written down, late", time.Hour, true, false, true, []string{clusterLeft}},
		{"the Federation was not looked at yet", 0, false, false, false, nil},
		{"the Federation cannot be looked at", partingLimit, false, false, true, []string{clusterLeft}},
		{"its status cannot be written now", partingLimit - time.Second, true, true, false, nil},
		{"its status cannot be written at all", partingLimit, true, true, true, []string{clusterLeft}},
	} {
		t.Run(c.state, func(t *testing.T) {
			left := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{
				Name: "eu-1", UID: "2", DeletionTimestamp: &metav1.Time{Time: time.Now().Add(-c.deleted)},
				Finalizers: []string{"example.com/before", v1alpha1.RecordRemovalFinalizer, "example.com/after"},
			}}
			hub := fake.NewClientBuilder().WithScheme(scheme).WithObjects(fed, left).Build()
			var told []string
			var l store.Store = store.NewMemory(scheme)
			if c.broken {
				l = unwritable{l}
			}
			e := newEngine(l, slog.New(slog.DiscardHandler), func(_ client.Object, kind, reason, _ string) {
				require.Equal(t, warning, kind)
				told = append(told, reason)
			})
			if c.opened {
				f, err := e.open(t.Context(), fed)
				require.NoError(t, err)
				f.legs["eu-1"] = newLeg(&v1alpha1.Delivery{
					Spec:   v1alpha1.DeliverySpec{Cluster: "eu-1"},
					Status: v1alpha1.DeliveryStatus{Inventory: []string{"shop_settings__ConfigMap"}},
				}, f.proven)
			}
			result, err := (&leaver{Client: hub, engine: e}).Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Name: "eu-1"}})
			require.NoError(t, err)
			now := &v1alpha1.Cluster{}
			require.NoError(t, hub.Get(t.Context(), client.ObjectKeyFromObject(left), now))
			if c.goes {
				require.Equal(t, []string{"example.com/before", "example.com/after"}, now.Finalizers, "those of others stay")
				require.Zero(t, result)
			} else {
				require.Equal(t, left.Finalizers, now.Finalizers)
				require.Positive(t, result.RequeueAfter)
				require.LessOrEqual(t, result.RequeueAfter, partingRetry)
			}
			require.Equal(t, c.told, told)
			if c.opened && !c.broken {
				require.Equal(t, []string{"ConfigMap shop/settings"}, e.federation(client.ObjectKeyFromObject(fed)).declaration.Status.RemovedClusters[0].Objects)
			}
		})
	}
}
