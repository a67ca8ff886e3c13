package agent

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate/bundle"
	"github.com/accord-dev/accord/propagate/tenancy"
	"github.com/accord-dev/accord/reconciler/state"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
)

// TestParts: a Federation has the account of its part, and the times of the descheduler for the workloads that the part names.
func TestParts(t *testing.T) {
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	part := &bundle.Part{Namespace: "shop", Name: "web", Movable: []string{web.Entry()}, Settings: bundle.Settings{
		Account:      tenancy.Account{Namespace: "shop", Name: "deployer"},
		Descheduling: bundle.Descheduling{Threshold: metav1.Duration{Duration: time.Minute}, Interval: metav1.Duration{Duration: time.Second}},
	}}
	f, key := state.New(delivery.Federation(part), state.NewRegistry(reachability.NewTracker()), nil), types.NamespacedName{Namespace: "shop", Name: "web"}
	p := &parts{}
	_, err := p.account(t.Context(), key)
	require.Error(t, err)
	threshold, _ := p.movable(f, web)
	require.Zero(t, threshold)

	p.set(key, part)
	account, err := p.account(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "deployer", account.Name)
	threshold, interval := p.movable(f, web)
	require.Equal(t, []time.Duration{time.Minute, time.Second}, []time.Duration{threshold, interval})
	other := web
	other.Name = "other"
	threshold, _ = p.movable(f, other)
	require.Zero(t, threshold)

	p.set(key, nil)
	require.Empty(t, p.all())
}
