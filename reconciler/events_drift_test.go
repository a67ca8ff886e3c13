package reconciler

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/reconciler/apply"
)

func shopConfigMap(name string) manifest.ID {
	return manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}
}

// TestAbsences: only what was there can have been deleted.
func TestAbsences(t *testing.T) {
	web := shopConfigMap("web")
	changed, deleted := apply.Drift{ID: web, What: apply.Changed}, apply.Drift{ID: web, What: apply.Deleted}
	for name, tt := range map[string]struct {
		absences absences
		drift    apply.Drift
		theirs   bool
	}{
		"changed":                         {absences{recorded: true}, changed, true},
		"seen going":                      {absences{recorded: true, vanished: map[manifest.ID]bool{web: true}}, deleted, true},
		"another one was seen going":      {absences{recorded: true, vanished: map[manifest.ID]bool{shopConfigMap("x"): true}}, deleted, false},
		"listed before it was written":    {absences{recorded: true}, deleted, false},
		"listed by the process before us": {absences{}, deleted, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := tt.absences.drift(apply.Outcome{Drift: []apply.Drift{tt.drift}})
			require.Equal(t, tt.theirs, len(got) == 1)
		})
	}
	t.Run("written again", func(t *testing.T) {
		a := absences{recorded: true}
		a.vanish(web)
		require.Len(t, a.drift(apply.Outcome{Drift: []apply.Drift{deleted}, Accepted: map[manifest.ID]apply.Accepted{web: {}}}), 1)
		require.Empty(t, a.drift(apply.Outcome{Drift: []apply.Drift{deleted}}))
		require.Empty(t, a.vanished)
	})
}

func TestDriftLines(t *testing.T) {
	var drift []apply.Drift
	for i := range namedDrift + 2 {
		drift = append(drift, apply.Drift{ID: shopConfigMap(fmt.Sprint("c", i)), Manager: "kubectl-edit", What: apply.Changed})
	}
	drift = append(drift, apply.Drift{ID: shopConfigMap("gone"), What: apply.Deleted})
	require.Equal(t, []string{
		"put right what was deleted: ConfigMap shop/gone",
		"put right what was changed by kubectl-edit: ConfigMap shop/c0, ConfigMap shop/c1, ConfigMap shop/c2, ConfigMap shop/c3, ConfigMap shop/c4 and 2 more",
	}, driftLines(drift))
}
