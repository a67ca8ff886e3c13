package publish

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// fleet answers reads of Clusters.
type fleet struct {
	hub
	mu       sync.Mutex
	clusters map[string]v1alpha1.ClusterStatus
}

// set changes what later reads of a Cluster return.
func (f *fleet) set(name string, status v1alpha1.ClusterStatus) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clusters[name] = status
}

func (f *fleet) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	obj.(*v1alpha1.Cluster).Status = f.clusters[key.Name]
	return nil
}

// A plan that depends on free resources waits for the agents of clusters that were never measured, as long as they are there.
func TestAPlanWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, store := newPublisher(&hub{version: "77"})
		hub := &fleet{clusters: map[string]v1alpha1.ClusterStatus{"measured": {ResourceSummary: &v1alpha1.ResourceSummary{}}}}
		p.cached = hub
		members := []v1alpha1.Cluster{{ObjectMeta: metav1.ObjectMeta{Name: "push"}}}
		for _, name := range []string{"eu", "measured", "forbidden", "away"} {
			c := v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: hub.clusters[name]}
			members = append(members, c)
			p.registry.SetAgent(name, true)
			p.SetAgent(name, "uid", "")
			if name != "away" {
				alive(p, name)
			}
		}
		running, stop := context.WithCancel(t.Context())
		defer stop()
		go p.Run(running)
		synctest.Wait()
		require.False(t, indexOf(t, store).Room)
		p.registry.RequireRoom()
		p.Changed("eu")
		time.Sleep(time.Second)
		synctest.Wait()
		require.True(t, indexOf(t, store).Room)
		go func() {
			time.Sleep(time.Second)
			var cannot v1alpha1.ClusterStatus
			meta.SetStatusCondition(&cannot.Conditions, metav1.Condition{Type: v1alpha1.ResourceSummaryAvailable, Status: metav1.ConditionFalse, Reason: "Forbidden"})
			hub.set("forbidden", cannot)
			time.Sleep(time.Second)
			hub.set("eu", v1alpha1.ClusterStatus{ResourceSummary: &v1alpha1.ResourceSummary{}})
		}()
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		informed, asked := p.Room(ctx, members)
		require.True(t, asked)
		require.Equal(t, 2*time.Second, time.Since(began).Truncate(time.Second), "the later of two answers, and none of the one that is away")
		require.NotNil(t, informed[1].Status.ResourceSummary)
		require.Nil(t, members[1].Status.ResourceSummary, "the argument is changed")

		hub.set("eu", v1alpha1.ClusterStatus{})
		_, asked = p.Room(ctx, members)
		require.True(t, asked)
		require.Equal(t, 5*time.Second, time.Since(began), "no longer than ctx")
		_, asked = p.Room(t.Context(), members[2:3])
		require.False(t, asked)
	})
}
