package sync

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/decode"
)

// at returns a Federation with sources on some hosts.
func at(hosts ...string) *v1alpha1.Federation {
	fed := &v1alpha1.Federation{}
	for _, host := range hosts {
		fed.Spec.Sources = append(fed.Spec.Sources, v1alpha1.Source{URL: "https://" + host + "/repository.git"})
	}
	return fed
}

func named(namespace string, i int) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: fmt.Sprint(i)}
}

// TestHostileGitServers has Federations of one namespace wait for Git servers that do not answer. Those of other servers, and of other
// namespaces, are reconciled.
func TestHostileGitServers(t *testing.T) {
	turns := newTurns()
	begin := func(namespace string, i int, hosts ...string) (func(), bool) {
		return turns.begin(named(namespace, i), at(hosts...))
	}

	slow := 0
	for i := range 20 {
		if _, begun := begin("a", i, "slow.example"); begun {
			slow++
		}
	}
	require.Equal(t, 4, slow, "a quarter of the workers for one server")
	end, begun := begin("a", 100, "good.example")
	require.True(t, begun, "another server in the namespace")
	end()
	for i := range 100 { // every Federation has a slow server of its own
		begin("a", 200+i, fmt.Sprintf("slow-%d.example", i))
	}
	for i := range 3 {
		end, begun := begin(fmt.Sprint("b", i), 0, fmt.Sprintf("good-%d.example", i))
		require.True(t, begun, "other namespaces")
		defer end()
	}
	end, begun = begin("c", 0)
	require.True(t, begun, "a source without a server")
	end()

}

// TestTurnsWakeInOrder checks that the end of a reconciliation wakes the Federation that has waited longest.
func TestTurnsWakeInOrder(t *testing.T) {
	turns := newTurns()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	require.NoError(t, turns.again.Start(t.Context(), queue))
	var ends []func()
	for i := range 7 {
		if end, begun := turns.begin(named("a", i), at("slow.example")); begun {
			ends = append(ends, end)
		}
	}
	require.Len(t, ends, 4)
	ends[0]()
	woken, _ := queue.Get()
	queue.Done(woken)
	require.Equal(t, named("a", 4), woken.NamespacedName)
	_, begun := turns.begin(named("a", 4), at("slow.example"))
	require.True(t, begun)

	turns.forget(named("a", 5))
	ends[1]()
	woken, _ = queue.Get()
	require.Equal(t, named("a", 6), woken.NamespacedName, "a deleted Federation does not wait")
}

// TestHostileBuilds has builds that do not end. They are abandoned, and keep the places of their namespace only.
func TestHostileBuilds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		unending := make(chan struct{})
		build := func(namespace string, parts func() error) error {
			_, err := turns.build(t.Context(), namespace, func() (decode.Parts, error) { return decode.Parts{}, parts() })
			return err
		}
		for range maxBuilds / 2 {
			began := time.Now()
			require.ErrorIs(t, build("a", func() error { <-unending; return nil }), errSlowBuild)
			require.Equal(t, buildTime, time.Since(began))
		}
		require.NoError(t, build("b", func() error { return nil }))
		began := time.Now()
		require.ErrorContains(t, build("a", func() error { return nil }), "waiting for other builds of namespace a")
		require.Equal(t, buildTime, time.Since(began))
		require.ErrorContains(t, build("b", func() error { panic("a bug") }), "a bug")
		wrong := errors.New("a mistake")
		require.ErrorIs(t, build("b", func() error { return wrong }), wrong)
		close(unending)
		synctest.Wait()
		require.NoError(t, build("a", func() error { return nil }), "the builds ended")
	})
}
