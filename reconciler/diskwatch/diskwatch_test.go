package diskwatch

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/diskspace"
	"github.com/accord-dev/accord/reconciler/report"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/store"
)

// TestDefectR6LowSpaceIsACondition: every Federation has the condition while little space is free, also when its status is computed again.
func TestDefectR6LowSpaceIsACondition(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, v1alpha1.AddToScheme(scheme))
	registry := state.NewRegistry(reachability.NewTracker())
	reporter := report.New(report.Options{Registry: registry, Store: store.NewMemory(scheme), Log: slog.New(slog.DiscardHandler)})
	f := state.New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}, Status: v1alpha1.FederationStatus{ObservedGeneration: -1}}, registry, store.ProcessFingerprints())
	registry.Add(f)
	space, failed := diskspace.Space{Free: 50 << 20, Total: 100 << 20}, error(nil)
	w := New("/cache", registry, reporter, logr.Discard())
	w.space = func(string) (diskspace.Space, error) { return space, failed }
	condition := func() *metav1.Condition {
		w.check(t.Context())
		fed, _ := f.FederationStatus(time.Now())
		return meta.FindStatusCondition(fed.Status.Conditions, v1alpha1.DiskSpaceLow)
	}

	require.Nil(t, condition())
	space.Free = 9 << 20
	c := condition()
	require.NotNil(t, c)
	require.Equal(t, metav1.ConditionTrue, c.Status)
	require.Zero(t, meta.FindStatusCondition(f.Declared().Status.Conditions, v1alpha1.DiskSpaceLow).ObservedGeneration, "the API server refuses -1 in a condition")
	require.Contains(t, c.Message, "less than 10 % of the 100 MiB of the file system of /cache is free")
	failed = errors.New("no such directory")
	require.NotNil(t, condition(), "unknown space changes nothing")
	failed, space.Free = nil, 10<<20
	require.Nil(t, condition())
}
