package sync

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/state/inputkey"
	"github.com/accord-dev/accord/source"
)

// A cache lists in any order. If that made another basis, every look would make the plan anew and interrupt deliveries.
func TestTheSameFleetHasTheSameKey(t *testing.T) {
	fed := &v1alpha1.Federation{}
	fed.Spec.Sources = []v1alpha1.Source{{Name: "main"}}
	at := Checkout{sources: fed.Spec.Sources, snapshots: []source.Snapshot{{Revision: "main@sha1:4f2c", Commit: "4f2c"}}}
	fleet := make([]v1alpha1.Cluster, 20)
	for i := range fleet {
		fleet[i].Name = string(rune('a' + i))
	}
	first := inputKey(fed, at, byName(fleet), inputkey.View{})
	rand.Shuffle(len(fleet), func(i, j int) { fleet[i], fleet[j] = fleet[j], fleet[i] })
	require.Equal(t, first, inputKey(fed, at, byName(fleet), inputkey.View{}))

	fleet[3].Labels = map[string]string{"tier": "prod"}
	require.NotEqual(t, first, inputKey(fed, at, byName(fleet), inputkey.View{}))
}

func TestRequestedAt(t *testing.T) {
	const flux = "reconcile.fluxcd.io/requestedAt"
	const early, late, later = "2026-01-01T12:00:00Z", "2026-01-01T13:30:00+01:00", "2026-01-01T12:30:00.5Z"
	for name, c := range map[string]struct {
		annotations map[string]string
		want        string
	}{
		"nobody asked":                      {nil, ""},
		"asked in our way":                  {map[string]string{v1alpha1.RequestedAtAnnotation: early}, early},
		"asked in Flux's way":               {map[string]string{flux: early}, early},
		"Flux's is the later one":           {map[string]string{v1alpha1.RequestedAtAnnotation: early, flux: late}, late},
		"ours is the later one":             {map[string]string{v1alpha1.RequestedAtAnnotation: later, flux: late}, later},
		"both ways, with what is no time":   {map[string]string{v1alpha1.RequestedAtAnnotation: "now", flux: late}, "now"},
		"both ways, Flux's with no time":    {map[string]string{v1alpha1.RequestedAtAnnotation: early, flux: "now"}, early},
		"ours is empty, which asks nothing": {map[string]string{v1alpha1.RequestedAtAnnotation: "", flux: early}, early},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, requestedAt(&v1alpha1.Federation{ObjectMeta: metav1.ObjectMeta{Annotations: c.annotations}}))
		})
	}
}
