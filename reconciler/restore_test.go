package reconciler_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// restartWithoutPlan restarts the controllers while no newest commit of four Federations can be planned, and deletes their
// objects meanwhile: no record stays green, and the objects come back where the recorded commit can be read (defect R1).
func restartWithoutPlan(t *testing.T, w *world, outer *world) {
	names := []string{"broken", "branchless", "asleep", "gone"}
	repositories, good := map[string]*repository{}, map[string]string{}
	for _, name := range names {
		name = "r1-" + name
		r := w.federation(name)
		repositories[name] = r
		good[name] = r.push("good", "app.yaml", configMap(name, "1"), "policy.yaml", policyFor(name, both, ""))
	}
	for name, r := range repositories {
		w.ready(r, good[name])
		w.eventually("the Deliveries to be Ready", func() error {
			for _, c := range both {
				if !apimeta.IsStatusConditionTrue(w.delivery(r, c).Status.Conditions, "Ready") {
					return fmt.Errorf("%s is not", c)
				}
			}
			return nil
		})
	}
	w.suspend(repositories["r1-asleep"], true)
	w.federationIs(repositories["r1-asleep"], "Suspended", metav1.ConditionTrue, "Suspended")

	outer.stop()
	bad := repositories["r1-broken"].push("bad", "app.yaml", "kind: [\n")
	branchless := repositories["r1-branchless"]
	branchless.git(branchless.bare, "branch", "-m", "main", "elsewhere")
	gone := repositories["r1-gone"]
	require.NoError(t, os.Rename(gone.bare, gone.bare+".away"))
	for name := range repositories {
		require.NoError(t, w.members["cluster-a"].Delete(t.Context(), w.configMap("cluster-a", name)))
	}
	outer.run()

	w.condition(repositories["r1-broken"], bad, "Ready", metav1.ConditionFalse, "BuildFailed")
	for _, name := range []string{"r1-broken", "r1-branchless"} {
		w.eventually("the object of "+name+" to come back", func() error { return unless(!w.absent("cluster-a", name), "it is absent") })
	}
	w.federationIs(branchless, "Ready", metav1.ConditionFalse, "FetchFailed")
	w.ready(branchless, good["r1-branchless"])

	t.Log("a suspended Federation is observed, and not repaired")
	release := w.condition(repositories["r1-asleep"], good["r1-asleep"], "Ready", metav1.ConditionUnknown, "Suspended")
	require.EqualValues(t, 1, release.Status.Summary.Healthy)
	require.True(t, w.absent("cluster-a", "r1-asleep"))

	t.Log("without the repository, nothing is claimed")
	w.condition(gone, good["r1-gone"], "Ready", metav1.ConditionUnknown, "NotObserved")
	for _, c := range both {
		ready := apimeta.FindStatusCondition(w.delivery(gone, c).Status.Conditions, "Ready")
		require.Equal(t, "NotObserved", ready.Reason)
		require.Contains(t, ready.Message, "the last observation is of ")
	}
	o, err := w.federated(gone, "r1-gone")
	require.NoError(t, err)
	require.True(t, apimeta.IsStatusConditionPresentAndEqual(o.Status.Conditions, "Ready", metav1.ConditionUnknown), "%+v", o.Status.Conditions)

	t.Log("everything is well again")
	require.NoError(t, os.Rename(gone.bare+".away", gone.bare))
	w.ready(gone, good["r1-gone"])
	require.False(t, w.absent("cluster-a", "r1-gone"))
	w.suspend(repositories["r1-asleep"], false)
	w.ready(repositories["r1-asleep"], good["r1-asleep"])
	branchless.git(branchless.bare, "branch", "-m", "elsewhere", "main")
	w.ready(repositories["r1-broken"], repositories["r1-broken"].push("good again", "app.yaml", configMap("r1-broken", "2")))
	require.Equal(t, "2", w.configMap("cluster-a", "r1-broken").Data["key"])
}
