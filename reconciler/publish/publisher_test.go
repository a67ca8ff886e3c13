package publish

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/apiserver/bundles"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/descheduler"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// hub answers lists.
type hub struct {
	client.Reader
	federations []string
	version     string
	err         error
}

func (h *hub) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	all := list.(*v1alpha1.FederationList)
	all.ResourceVersion = h.version
	for _, name := range h.federations {
		all.Items = append(all.Items, v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}})
	}
	return h.err
}

// indexOf returns the index that an agent would read; nil without one.
func indexOf(t *testing.T, store *bundles.Store) *bundle.Index {
	t.Helper()
	found, there := store.Index("eu")
	if !there {
		return nil
	}
	index := &bundle.Index{}
	require.NoError(t, json.Unmarshal(found.Text(), index))
	return index
}

// alive has the agent of a cluster report that the cluster answers.
func alive(p *Publisher, cluster string) {
	p.registry.RecordProbe(cluster, reachability.Probe{Known: true, At: time.Now()})
	p.registry.RecordBeat(cluster, 0, time.Now())
}

func newPublisher(h *hub) (*Publisher, *bundles.Store) {
	store := bundles.New(bundles.CompressedLimit)
	account := func(context.Context, types.NamespacedName) (tenancy.Account, error) { return tenancy.Account{}, nil }
	return New(state.NewRegistry(reachability.NewTracker()), account, h, h, store, descheduler.Settings{}, slog.Default()), store
}

// A leader that starts knows no Federation: the agents keep what they have.
func TestAFederationThatIsNotOpenIsUnknown(t *testing.T) {
	h := &hub{federations: []string{"web", "api"}, version: "77"}
	p, store := newPublisher(h)
	p.SetAgent("eu", "uid", "")
	require.NoError(t, p.publish(t.Context(), "eu"))
	index := indexOf(t, store)
	require.Equal(t, &bundle.Index{Cluster: "eu", Epoch: "uid", Sequence: 77 << sequences, Parts: []bundle.Part{
		{Namespace: "shop", Name: "api", Unknown: true}, {Namespace: "shop", Name: "web", Unknown: true},
	}}, index)

	require.NoError(t, p.publish(t.Context(), "eu"))
	require.Equal(t, index, indexOf(t, store), "nothing changed")

	h.federations = []string{"web"}
	require.NoError(t, p.publish(t.Context(), "eu"))
	require.Equal(t, index.Sequence+1, indexOf(t, store).Sequence)
	require.Len(t, indexOf(t, store).Parts, 1, "a Federation that was deleted")

	later, laterStore := newPublisher(&hub{federations: []string{"web"}, version: "78"})
	later.SetAgent("eu", "uid", "")
	require.NoError(t, later.publish(t.Context(), "eu"))
	require.Greater(t, indexOf(t, laterStore).Sequence, indexOf(t, store).Sequence, "of the next leader")
}

func TestABundleThatCannotBeMadeStays(t *testing.T) {
	h := &hub{federations: []string{"web"}, version: "77"}
	p, store := newPublisher(h)
	p.SetAgent("eu", "uid", "")
	require.NoError(t, p.publish(t.Context(), "eu"))
	index := indexOf(t, store)
	h.federations, h.err = nil, errors.New("the hub is away")
	require.Error(t, p.publish(t.Context(), "eu"))
	require.Equal(t, index, indexOf(t, store))

	p.SetAgent("eu", "", "")
	require.NoError(t, p.publish(t.Context(), "eu"))
	require.Nil(t, indexOf(t, store))
}

// Where no API serves bundles, a cluster in pull mode waits; nothing is made of it.
func TestWithoutAStoreNothingIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(state.NewRegistry(reachability.NewTracker()), nil, nil, nil, nil, descheduler.Settings{}, slog.Default())
		p.registry.SetAgent("eu", true)
		p.SetAgent("eu", "uid", "")
		p.Changed("eu")
		ctx, cancel := context.WithTimeout(t.Context(), 10*gather)
		defer cancel()
		p.Run(ctx)
	})
}
