package member

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/changes"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store"
)

// unwritable is a store that rejects every status.
type unwritable struct{ store.Store }

func (unwritable) PutStatus(context.Context, client.Object) error {
	return errors.New("the hub is out of space")
}

// TestRemovalIsBounded: a Cluster waits for what cannot be written down, and not for ever.
func TestRemovalIsBounded(t *testing.T) {
	scheme, err := scheme()
	require.NoError(t, err)
	fed := &v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod", UID: "1"}}
	for _, c := range []struct {
		state   string
		deleted time.Duration // ago
		opened  bool          // the Federation was looked at
		broken  bool          // its status cannot be written
		goes    bool
		events  []string // reasons
	}{
		{"all is written down", 0, true, false, true, []string{report.ClusterRemoved}},
		{"all is written down, late", time.Hour, true, false, true, []string{report.ClusterRemoved}},
		{"the Federation was not looked at yet", 0, false, false, false, nil},
		{"the Federation cannot be looked at", removalLimit, false, false, true, []string{report.ClusterRemoved}},
		{"its status cannot be written now", removalLimit - time.Second, true, true, false, nil},
		{"its status cannot be written at all", removalLimit, true, true, true, []string{report.ClusterRemoved}},
	} {
		t.Run(c.state, func(t *testing.T) {
			left := &v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{
				Name: "eu-1", UID: "2", DeletionTimestamp: &metav1.Time{Time: time.Now().Add(-c.deleted)},
				Finalizers: []string{"example.com/before", v1alpha1.RecordRemovalFinalizer, "example.com/after"},
			}}
			hub := fake.NewClientBuilder().WithScheme(scheme).WithObjects(fed, left).Build()
			var events []string
			var l store.Store = store.NewMemory(scheme)
			if c.broken {
				l = unwritable{l}
			}
			emit := func(e changes.Event) {
				require.Equal(t, changes.Warning, e.Type)
				events = append(events, e.Reason)
			}
			registry, log := state.NewRegistry(reachability.NewTracker()), slog.New(slog.DiscardHandler)
			f := state.Restore(fed, state.Stored{
				Deliveries: []v1alpha1.Delivery{{Spec: v1alpha1.DeliverySpec{Cluster: "eu-1"}}},
				Reports: []v1alpha1.DeliveryReport{{
					Spec:   v1alpha1.DeliveryReportSpec{Cluster: "eu-1"},
					Status: v1alpha1.DeliveryReportStatus{ApplyResult: v1alpha1.ApplyResult{Inventory: []string{"shop_settings__ConfigMap"}}},
				}},
			}, registry, nil)
			if c.opened {
				registry.Add(f)
			}
			reporter := report.New(report.Options{Registry: registry, Store: l, Emit: emit, Log: log})
			result, err := (&Remover{Client: hub, Registry: registry, Reporter: reporter, Emit: emit, Log: log}).Reconcile(t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Name: "eu-1"}})
			require.NoError(t, err)
			now := &v1alpha1.Cluster{}
			require.NoError(t, hub.Get(t.Context(), client.ObjectKeyFromObject(left), now))
			if c.goes {
				require.Equal(t, []string{"example.com/before", "example.com/after"}, now.Finalizers, "those of others stay")
				require.Zero(t, result)
			} else {
				require.Equal(t, left.Finalizers, now.Finalizers)
				require.Positive(t, result.RequeueAfter)
				require.LessOrEqual(t, result.RequeueAfter, removalRetry)
			}
			require.Equal(t, c.events, events)
			if c.opened && !c.broken {
				require.Equal(t, []string{"ConfigMap shop/settings"}, f.Declared().Status.RemovedClusters[0].Objects)
			}
		})
	}
}

func scheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	return s, v1alpha1.AddToScheme(s)
}
