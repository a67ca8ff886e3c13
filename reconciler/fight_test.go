package reconciler_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestFight has somebody write his value whenever Git's is there: it is put right a few times, then it is slowed, and shown.
func TestFight(t *testing.T) {
	w := newWorldWithMetrics(t, 1, freeAddress(t))
	r := w.federation("fight")
	w.ready(r, r.push("one object", "app.yaml", configMap("contested", "1"), "policy.yaml", policyOf("contested", "clusterNames: [cluster-a]")))
	ctx, cancel := context.WithCancel(t.Context())
	var rewrites atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.contest(ctx, &rewrites)
	}()
	w.eventually("the Delivery to say so", func() error {
		d, err := w.deliveryOf(r, "cluster-a")
		if err != nil {
			return err
		}
		is := apimeta.FindStatusCondition(d.Status.Conditions, "Drifted")
		return unless(is != nil && is.Status == metav1.ConditionTrue && is.Reason == "ContentionDetected" &&
			strings.Contains(is.Message, "ConfigMap shop/contested data is changed by contender and was repaired 5 times since 20"), fmt.Sprintf("%+v", is))
	})
	before := rewrites.Load()
	time.Sleep(5 * time.Second) // in which it was put right five times
	require.LessOrEqual(t, rewrites.Load()-before, int64(1), "it is slowed")
	w.figures(map[string]float64{`accord_contended_objects{cluster="cluster-a",federation="demo/fight"}`: 1})
	require.NoError(t, w.toldOf(w.namespace, "Delivery", "fight-cluster-a", "Warning ContentionDetected", 1, "contender"))

	w.ready(r, r.push("a person's change is not slowed", "app.yaml", configMap("contested", "2")))
	cancel()
	<-ended
}

// contest writes a value of its own over any other, as a controller does that uses Update.
func (w *world) contest(ctx context.Context, rewrites *atomic.Int64) {
	own := client.WithFieldOwner(w.members["cluster-a"], "contender")
	for ctx.Err() == nil {
		m := &corev1.ConfigMap{}
		if err := own.Get(ctx, client.ObjectKey{Namespace: "shop", Name: "contested"}, m); err == nil && m.Data["key"] == "1" {
			m.Data["key"] = "mine"
			if own.Update(ctx, m) == nil {
				rewrites.Add(1)
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}
