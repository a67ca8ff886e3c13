package drift

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/reconciler/apply/live"
	"github.com/accord-dev/accord/reconciler/state/changes"
)

func shopConfigMap(name string) manifest.ID {
	return manifest.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}
}

// TestAbsences: only what was there can have been deleted.
func TestAbsences(t *testing.T) {
	web := shopConfigMap("web")
	changed, deleted := live.Drift{ID: web, What: live.Changed}, live.Drift{ID: web, What: live.Deleted}
	for name, tt := range map[string]struct {
		absences Absences
		drift    live.Drift
		theirs   bool
	}{
		"changed":                         {Absences{Recorded: true}, changed, true},
		"seen going":                      {Absences{Recorded: true, vanished: map[manifest.ID]bool{web: true}}, deleted, true},
		"another one was seen going":      {Absences{Recorded: true, vanished: map[manifest.ID]bool{shopConfigMap("x"): true}}, deleted, false},
		"listed before it was written":    {Absences{Recorded: true}, deleted, false},
		"listed by the process before us": {Absences{}, deleted, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := tt.absences.Settle([]live.Drift{tt.drift}, nil, nil)
			require.Equal(t, tt.theirs, len(got) == 1)
		})
	}
	t.Run("written again", func(t *testing.T) {
		a := Absences{Recorded: true}
		a.Vanish(web)
		require.Len(t, a.Settle([]live.Drift{deleted}, nil, map[manifest.ID]live.Answer{web: {}}), 1)
		require.Empty(t, a.Settle([]live.Drift{deleted}, nil, nil))
		require.Empty(t, a.vanished)
	})
}

// TestAbsencesAfterARestart: an inventory lists what was to be written, which a process that was killed may not have done.
func TestAbsencesAfterARestart(t *testing.T) {
	for name, tt := range map[string]struct {
		conditions []metav1.Condition
		believed   bool
	}{
		"nothing is known":            {nil, false},
		"a delivery was under way":    {[]metav1.Condition{{Type: v1alpha1.Applied, Status: metav1.ConditionUnknown, ObservedGeneration: 2}}, false},
		"some objects failed":         {[]metav1.Condition{{Type: v1alpha1.Applied, Status: metav1.ConditionFalse, ObservedGeneration: 2}}, false},
		"the one before had finished": {[]metav1.Condition{{Type: v1alpha1.Applied, Status: metav1.ConditionTrue, ObservedGeneration: 1}}, false},
		"it had finished":             {[]metav1.Condition{{Type: v1alpha1.Applied, Status: metav1.ConditionTrue, ObservedGeneration: 2}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := &v1alpha1.Delivery{Status: v1alpha1.DeliveryStatus{Conditions: tt.conditions}}
			d.Generation = 2
			a := AbsencesSince(d)
			theirs := a.Settle([]live.Drift{{ID: shopConfigMap("web"), What: live.Deleted}}, nil, nil)
			require.Equal(t, tt.believed, len(theirs) == 1)
		})
	}
}

func TestDriftLines(t *testing.T) {
	var repaired []live.Drift
	for i := range namedDrift + 2 {
		repaired = append(repaired, live.Drift{ID: shopConfigMap(fmt.Sprint("c", i)), Manager: "kubectl-edit", What: live.Changed})
	}
	repaired = append(repaired, live.Drift{ID: shopConfigMap("gone"), What: live.Deleted})
	var c changes.Changes
	AddEvents(&c, &v1alpha1.Delivery{}, repaired)
	var lines []string
	for _, e := range c.Events {
		lines = append(lines, e.Message)
	}
	require.Equal(t, []string{
		"repaired, deleted: ConfigMap shop/gone",
		"repaired, changed by kubectl-edit: ConfigMap shop/c0, ConfigMap shop/c1, ConfigMap shop/c2, ConfigMap shop/c3, ConfigMap shop/c4 and 2 more",
	}, lines)
}
