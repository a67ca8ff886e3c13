package delivery

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/reconciler/state/wanted"
)

// TestAdoptIsNew: whatever a cluster was to have before, it has the wants of the last plan.
func TestAdoptIsNew(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 5))
		kinds := []schema.GroupVersionKind{{Version: "v1", Kind: "ConfigMap"}, {Version: "v1", Kind: "Secret"}}
		rendered := map[string]*propagate.Rendered{}
		plan := func() propagate.ClusterPlan {
			var target propagate.ClusterPlan
			for i := range 6 {
				if random.IntN(12) == 0 {
					continue
				}
				gvk := kinds[i/3]
				id := manifest.ID{Kind: gvk.Kind, Namespace: "shop", Name: fmt.Sprint("o", i)}
				if random.IntN(20) == 0 {
					target.Failed = append(target.Failed, propagate.Failure{ID: id, Err: errors.New("no")})
					continue
				}
				digest := fmt.Sprint(random.IntN(3) / 2)
				key := id.Name + digest
				if rendered[key] == nil {
					rendered[key] = &propagate.Rendered{ID: id, GVK: gvk, Digest: digest}
				}
				held := []string{"", "", "", "held"}[random.IntN(4)]
				target.Objects = append(target.Objects, propagate.Placed{Rendered: rendered[key], Held: held})
			}
			return target
		}
		observed := map[schema.GroupKind]bool{kinds[0].GroupKind(): true, kinds[1].GroupKind(): random.IntN(2) == 0}
		l := New(&v1alpha1.Delivery{}, nil)
		for range 20 {
			target := plan()
			fresh := New(&v1alpha1.Delivery{}, nil)
			for _, s := range []*State{l, fresh} {
				s.Kinds, s.Listed = observed, true
				s.Adopt(target)
			}
			require.Equal(t, fresh.Wants, l.Wants, seed)
			require.Equal(t, fresh.Listed, l.Listed, seed)
			if len(target.Objects) > 0 && random.IntN(4) == 0 {
				l.PlannedAs(target.Objects[0].ID, wanted.Object{Held: "a rollback"})
			}
		}
	}
}
