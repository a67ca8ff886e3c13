package status

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
)

var mutated = []v1alpha1.MutatedField{{Object: "apps/Deployment shop/web0", Field: "spec.replicas", Applied: "2", Live: "1"}}

// A field that a cluster changes is reported with both values in Delivery, Release and Federation.
func TestDefectR10Mutated(t *testing.T) {
	run := completed
	run.Mutated = mutated
	for cell, want := range map[string]metav1.ConditionStatus{"mutated": metav1.ConditionFalse, "healthy": metav1.ConditionTrue} { // Fail, Warn
		d := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, run, CountCells(objects(cell)), t0)
		require.Equal(t, mutated, d.MutatedFields)
		golden.Quote(t, deliveryPage, "Mutated=True/Mutated: "+strings.ReplaceAll(meta.FindStatusCondition(d.Conditions, v1alpha1.MutatedType).Message, "web0", "web"))
		require.Equal(t, "the cluster changed 1 applied field: apps/Deployment shop/web0 spec.replicas: 2 became 1", meta.FindStatusCondition(d.Conditions, v1alpha1.MutatedType).Message)
		r := Release(v1alpha1.ReleaseStatus{}, 1, ReleaseInput{Objects: 1, Deliveries: []DeliveryState{NewDeliveryState("east", 1, d)}}, t0)
		f := Federation(v1alpha1.FederationStatus{}, 1, FederationInput{Release: "prod-a", Revision: revision, Newest: r}, t0)
		for name, conditions := range map[string][]metav1.Condition{"Release": r.Conditions, "Federation": f.Conditions} {
			require.True(t, meta.IsStatusConditionPresentAndEqual(conditions, ready, want), name)
			c := meta.FindStatusCondition(conditions, v1alpha1.MutatedType)
			require.Equal(t, "1 cluster changed applied fields: east: the cluster changed 1 applied field: apps/Deployment shop/web0 spec.replicas: 2 became 1", c.Message, name)
		}
		if want == metav1.ConditionFalse {
			require.Equal(t, Mutated, meta.FindStatusCondition(r.Conditions, ready).Reason)
			require.Equal(t, "the cluster changed applied fields: spec.replicas: 2 became 1", r.NotReadyClusters[0].Message)
			require.Equal(t, "apps/Deployment shop/web0", r.NotReadyClusters[0].Object)
		}
	}
}

// A run of before a restart counts as finished, although the cluster changed a field.
func TestMutatedAfterARestart(t *testing.T) {
	run := completed
	run.Mutated = mutated
	before := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, run, CountCells(objects("mutated")), t0)
	after := Delivery(before, 1, revision, Run{Mutated: mutated}, CountCells(objects("mutated")), t1)
	require.Equal(t, before, after)
}

func TestMutatedFieldsAreBounded(t *testing.T) {
	run := completed
	for i := range 3 * maxProblems {
		run.Mutated = append(run.Mutated, v1alpha1.MutatedField{Object: "ConfigMap shop/web", Field: fmt.Sprintf("data.key%d.%s", i, strings.Repeat("x", 150)), Applied: "1", Live: "2"})
	}
	d := Delivery(v1alpha1.DeliveryStatus{}, 1, revision, run, CountCells(objects("mutated")), t0)
	require.Len(t, d.MutatedFields, maxProblems)
	c := meta.FindStatusCondition(d.Conditions, v1alpha1.MutatedType)
	require.Contains(t, c.Message, "30 applied fields")
	require.LessOrEqual(t, len(c.Message), maxMessage)
}
