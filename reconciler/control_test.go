package reconciler_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// retain returns a customization whose script retains one more field.
func retain(field string) string {
	return fmt.Sprintf(`apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: controlled}
spec:
  target: {apiVersion: v1, kind: ConfigMap}
  customizations:
    retention:
      luaScript: |
        function Retain(desired, observed)
          desired.%s = observed.%[1]s
          return desired
        end
`, field)
}

// gated returns a RolloutPolicy of one stage.
func gated(gate string) string {
	return fmt.Sprintf(`apiVersion: accord.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: controlled}
spec:
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: controlled}]
  stages: [{name: world%s}]
`, gate)
}

// hostileUnapprovedControl: a commit that changes no object and something that decides needs an approval, also after a restart.
func hostileUnapprovedControl(t *testing.T, w *world, restart func()) {
	r := w.approving("controlled")
	taints := "apiVersion: policy.karmada.io/v1alpha1\nkind: ClusterTaintPolicy\nmetadata: {name: controlled}\n" +
		"spec: {addOnConditions: [{conditionType: None, operator: In, statusValues: [Unknown]}], taints: [{key: out, effect: NoSchedule}]}\n"
	first := r.push("first", "app.yaml", configMap("controlled", "1"), "policy.yaml", policyFor("controlled", both, ""),
		"script.yaml", retain("binaryData"), "rollout.yaml", gated(", gate: {soakDuration: 1s}"))
	release := w.held(r, first)
	w.approve(release, release.Spec.PlanDigest)
	w.ready(r, first)

	for what, files := range map[string][2]string{
		"script.yaml": {retain("data"), retain("binaryData")}, "rollout.yaml": {gated(""), gated(", gate: {soakDuration: 1s}")}, "taints.yaml": {taints, ""},
	} {
		w.held(r, r.push("docs: nothing to see", what, files[0]))
		same := w.ready(r, r.push("back again", what, files[1]))
		require.Contains(t, apimeta.FindStatusCondition(same.Status.Conditions, v1alpha1.Approved).Message, "changes nothing", what)
	}
	unapproved := r.push("docs: nothing to see here either", "script.yaml", retain("data"))
	w.held(r, unapproved)
	restart()
	w.held(r, unapproved)
	edited := w.configMap("cluster-a", "controlled")
	edited.Data["key"] = "by hand"
	require.NoError(t, w.members["cluster-a"].Update(t.Context(), edited))
	w.eventually("the change to be repaired without the script", func() error {
		got := w.configMap("cluster-a", "controlled").Data["key"]
		return unless(got == "1", got)
	})
	w.held(r, unapproved)
	w.federationIs(r, "Ready", metav1.ConditionUnknown, "Held")
}
