package publish

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/applyset"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/reconciler/state"
)

// inquiring calls test with a publisher that runs, whose hub has no record of cluster eu in Federation shop/web. alive has the agent report.
func inquiring(t *testing.T, test func(p *Publisher, f *state.Federation, alive func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p, _ := newPublisher(&hub{federations: []string{"web"}, version: "77"})
		f := state.New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}, p.registry, nil)
		p.registry.Add(f)
		p.registry.SetAgent("eu", true)
		p.SetAgent("eu", "uid", "")
		running, stop := context.WithCancel(t.Context())
		defer stop()
		go p.Run(running)
		test(p, f, func() { alive(p, "eu") })
	})
}

// reply answers the open inquiry as the agent of a cluster.
func reply(t *testing.T, p *Publisher, answer bundle.Inventories) {
	t.Helper()
	answer.ID = indexOf(t, p.store).Inquiry.ID
	text, err := json.Marshal(answer)
	require.NoError(t, err)
	require.True(t, p.store.Answer("eu", answer.ID, text))
	synctest.Wait()
}

// A hub without a record asks the agent once, and knows then what the cluster has.
func TestAnAgentIsAskedForItsObjects(t *testing.T) {
	inquiring(t, func(p *Publisher, f *state.Federation, alive func()) {
		p.Inquire("us")
		p.Inquire("eu")
		synctest.Wait()
		require.Nil(t, indexOf(t, p.store).Inquiry, "the agent is away")

		alive()
		p.Changed("eu")
		time.Sleep(time.Second)
		synctest.Wait()
		asked := indexOf(t, p.store).Inquiry
		require.Equal(t, []string{applyset.ID("shop/web")}, asked.ApplySets, "an agent does not learn names")
		replicas := int32(3)
		reply(t, p, bundle.Inventories{Objects: map[string][]v1alpha1.DiscoveredObject{
			applyset.ID("shop/web"): {{Object: web.Entry(), Replicas: &replicas}}, applyset.ID("shop/other"): {{Object: api.Entry()}},
		}})
		require.Nil(t, indexOf(t, p.store).Inquiry, "it is asked again")
		found, known := f.Discovered("eu")
		require.True(t, known)
		require.Len(t, found, 1)
		require.Equal(t, &replicas, found[0].Replicas)

		p.Inquire("eu")
		synctest.Wait()
		require.Nil(t, indexOf(t, p.store).Inquiry, "it is known")
	})
}

// An agent that does not answer, or cannot read its cluster, is asked again: an error is never read as "no objects".
func TestAnAgentThatCannotAnswerIsAskedAgain(t *testing.T) {
	inquiring(t, func(p *Publisher, f *state.Federation, alive func()) {
		alive()
		p.Inquire("eu")
		synctest.Wait()
		reply(t, p, bundle.Inventories{Error: "configmaps is forbidden"})
		require.True(t, f.Unrecorded("eu"))
		require.Nil(t, indexOf(t, p.store).Inquiry)

		time.Sleep(2 * time.Second)
		first := indexOf(t, p.store).Inquiry.ID
		time.Sleep(inquiryTime)
		alive()
		time.Sleep(10 * time.Second)
		require.NotEqual(t, first, indexOf(t, p.store).Inquiry.ID, "an answer that did not come")
		reply(t, p, bundle.Inventories{Objects: map[string][]v1alpha1.DiscoveredObject{applyset.ID("shop/web"): nil}})
		require.False(t, f.Unrecorded("eu"))
		found, known := f.Discovered("eu")
		require.True(t, known)
		require.Empty(t, found)
	})
}

// A Federation that has a plan is planned again, with the objects of an agent that was away.
func TestObjectsThatAreFoundLater(t *testing.T) {
	inquiring(t, func(p *Publisher, f *state.Federation, alive func()) {
		var replanned []types.NamespacedName
		p.OnDiscovered(func(f types.NamespacedName) { replanned = append(replanned, f) })
		alive()
		p.Inquire("eu")
		synctest.Wait()
		reply(t, p, bundle.Inventories{Objects: map[string][]v1alpha1.DiscoveredObject{applyset.ID("shop/web"): {{Object: web.Entry()}}}})
		require.Empty(t, replanned, "the first plan waits for the answer")
	})
}
