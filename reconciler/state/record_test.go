package state

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/previous"
	"github.com/accord-dev/accord/reconciler/state/delivery"
	"github.com/accord-dev/accord/reconciler/state/reachability"
	"github.com/accord-dev/accord/reconciler/state/record"
	"github.com/accord-dev/accord/reconciler/store/fingerprint"
)

// TestRemembered writes decisions down and reads them back: the process after a restart knows what the one before it did.
func TestRemembered(t *testing.T) {
	web := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	owner := manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "owner"}
	claimed := &policy.Policy{Meta: policy.Meta{Namespace: "shop", Name: "web"}}
	n := func(i int32) *int32 { return &i }
	for name, c := range map[string]struct {
		decision decision.Decision
		next     previous.Decision
		check    func(*testing.T, v1alpha1.FederatedObjectSpec)
	}{
		"divided, held on one, everything set": {
			decision.Decision{ID: web, Policy: claimed, Chosen: []decision.Choice{
				{Cluster: "a", Replicas: n(2)}, {Cluster: "b", Replicas: n(3), Held: "suspended"}, {Cluster: "c", Replicas: n(2), Completions: n(4)},
			}},
			previous.Decision{
				ID: web, Template: "0123", Term: "primary", Rebalanced: "spring", Overwrite: true, Preserve: true, Dependencies: true,
				Clusters: []previous.Cluster{{Name: "a", Replicas: n(2)}, {Name: "b", Replicas: n(3), Held: true}, {Name: "c", Replicas: n(2), Completions: n(4)}},
			},
			func(t *testing.T, s v1alpha1.FederatedObjectSpec) {
				require.Empty(t, s.PreviousPlacement, "the variants say it")
				require.Equal(t, "shop/web", s.Policy)
			},
		},
		"some clusters only for another object's sake": {
			decision.Decision{ID: web, Policy: claimed, Chosen: []decision.Choice{{Cluster: "a"}, {Cluster: "b", RequiredBy: &owner}}},
			previous.Decision{ID: web, Clusters: []previous.Cluster{{Name: "a"}}},
			func(t *testing.T, s v1alpha1.FederatedObjectSpec) {
				require.Equal(t, []v1alpha1.Requirement{{Object: "apps/Deployment shop/owner", Clusters: []string{"b"}}}, s.RequiredBy)
			},
		},
		"sent along, and no policy of its own": {
			decision.Decision{ID: web, Chosen: []decision.Choice{{Cluster: "a", RequiredBy: &owner}, {Cluster: "b", RequiredBy: &owner}}},
			previous.Decision{ID: web},
			func(t *testing.T, s v1alpha1.FederatedObjectSpec) {
				require.Empty(t, s.Policy)
				require.Equal(t, []v1alpha1.Requirement{{Object: "apps/Deployment shop/owner", Clusters: []string{"a", "b"}}}, s.RequiredBy)
			},
		},
		"a namespace on one cluster for its objects": {
			decision.Decision{ID: manifest.ID{Kind: "Namespace", Name: "shop"}, Policy: claimed, Chosen: []decision.Choice{{Cluster: "a"}, {Cluster: "b", Implied: true}}},
			previous.Decision{ID: manifest.ID{Kind: "Namespace", Name: "shop"}, Clusters: []previous.Cluster{{Name: "a"}}},
			func(t *testing.T, s v1alpha1.FederatedObjectSpec) {
				require.Equal(t, []v1alpha1.Requirement{{Clusters: []string{"b"}}}, s.RequiredBy)
			},
		},
		"no cluster fits any more": {
			decision.Decision{ID: web, Policy: claimed, Why: "all are tainted"},
			previous.Decision{ID: web, Clusters: []previous.Cluster{{Name: "a", Replicas: n(2), Held: true}, {Name: "b", Replicas: n(2)}, {Name: "c", Replicas: n(2)}}},
			func(t *testing.T, s v1alpha1.FederatedObjectSpec) {
				require.Equal(t, []v1alpha1.PreviousResult{{Replicas: n(2), Held: true, Clusters: []string{"a"}}, {Replicas: n(2), Clusters: []string{"b", "c"}}}, s.PreviousPlacement)
				require.Empty(t, s.Results)
			},
		},
		"kept, and one of the clusters left the fleet": {
			decision.Decision{ID: web, Policy: claimed, Why: "5 replicas do not fit", PlacementRetained: true, Chosen: []decision.Choice{{Cluster: "a", Replicas: n(2)}}},
			previous.Decision{ID: web, Clusters: []previous.Cluster{{Name: "a", Replicas: n(2)}, {Name: "gone", Replicas: n(2)}}},
			func(t *testing.T, s v1alpha1.FederatedObjectSpec) { require.True(t, s.PlacementRetained) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := New(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "prod"}}, NewRegistry(reachability.NewTracker()), fingerprint.New(nil, true))
			for _, cluster := range []string{"a", "b", "c"} {
				f.clusters[cluster] = delivery.New(&v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: cluster}}, nil)
			}
			c.decision.GVK = c.decision.ID.GroupKind().WithVersion("v1")
			require.True(t, record.Has(&c.decision))
			o := f.objectRecord(&c.decision, &c.next)
			c.check(t, o.Spec)
			f.records.objects.Set(o)
			require.Equal(t, []*previous.Decision{&c.next}, f.Previous())

			require.Empty(t, f.Evictions())
			o.Spec.GracefulEvictionTasks = []v1alpha1.GracefulEvictionTask{{FromCluster: "a", PurgeMode: v1alpha1.PurgeGracefully}}
			f.records.objects.Set(o)
			planned := f.objectRecord(&c.decision, &c.next).Spec.PlannedEvictions
			require.Equal(t, &v1alpha1.PlannedEvictions{}, planned, "the plan does not know them yet")
			c.decision.Evictions = o.Spec.GracefulEvictionTasks
			require.Equal(t, o.Spec, f.objectRecord(&c.decision, &c.next).Spec, "a decision leaves the evictions as they are")
			require.Equal(t, o.Spec.GracefulEvictionTasks, f.Evictions()[c.decision.ID])
		})
	}
}

func TestTheDigestOfASecretIsNotRemembered(t *testing.T) {
	secret := manifest.ID{Kind: "Secret", Namespace: "shop", Name: "password"}
	d := decision.Decision{ID: secret, GVK: schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, Policy: &policy.Policy{}}
	f := New(&v1alpha1.Federation{}, NewRegistry(reachability.NewTracker()), fingerprint.New(nil, true))
	require.Empty(t, f.objectRecord(&d, &previous.Decision{ID: secret, Template: "0123"}).Spec.TemplateDigest)
}

func TestOtherObjectsAreNotRecorded(t *testing.T) {
	require.False(t, record.Has(&decision.Decision{Why: "no policy selects it"}))
	require.False(t, record.Has(&decision.Decision{Chosen: []decision.Choice{{Cluster: "a", Implied: true}}}), "a Namespace for its objects")
}
