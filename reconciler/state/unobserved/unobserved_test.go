package unobserved

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/status"
)

// TestDefectR1TheOlderPlanIsNotRestored: a process that was killed in an activation has delivered more than the Deliveries say.
func TestDefectR1TheOlderPlanIsNotRestored(t *testing.T) {
	release := func(revision, digest, supersededBy string, conditions ...metav1.Condition) *v1alpha1.Release {
		r := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: revision}, Spec: v1alpha1.ReleaseSpec{Revision: revision, PlanDigest: digest}}
		r.Status.SupersededBy, r.Status.Conditions = supersededBy, conditions
		return r
	}
	no := func(kind string) metav1.Condition { return metav1.Condition{Type: kind, Status: metav1.ConditionFalse} }
	for name, c := range map[string]struct {
		releases []*v1alpha1.Release
		want     bool
	}{
		"the newest Release":               {[]*v1alpha1.Release{release("b", "2", ""), release("a", "1", "b")}, true},
		"another plan of the same commit":  {[]*v1alpha1.Release{release("b", "3", "")}, false},
		"a newer plan was being activated": {[]*v1alpha1.Release{release("c", "3", ""), release("b", "2", "")}, false},
		"the newer commit is invalid":      {[]*v1alpha1.Release{release("c", "", "", no(v1alpha1.Rendered)), release("b", "2", "c")}, true},
		"the newer commit is not approved": {[]*v1alpha1.Release{release("c", "3", "", no(v1alpha1.Approved)), release("b", "2", "c")}, true},
		"the prune limits stop the newer":  {[]*v1alpha1.Release{release("c", "3", "", no(v1alpha1.PruneAllowed)), release("b", "2", "c")}, true},
		"clusters reject the newer":        {[]*v1alpha1.Release{release("c", "3", "", no(v1alpha1.DryRunSucceeded)), release("b", "2", "c")}, true},
		"a forced push went back to it":    {[]*v1alpha1.Release{release("c", "3", "b"), release("b", "2", "")}, true},
		"an invalid commit supersedes a plan that was being activated, and the one before": {[]*v1alpha1.Release{release("d", "", "", no(v1alpha1.Rendered)), release("c", "3", "d"), release("b", "2", "d")}, false},
		"an invalid commit before and after the plan that was being activated":             {[]*v1alpha1.Release{release("e", "", "", no(v1alpha1.Rendered)), release("d", "4", "e"), release("c", "", "e", no(v1alpha1.Rendered)), release("b", "2", "c")}, false},
		"two invalid commits":                    {[]*v1alpha1.Release{release("d", "", "", no(v1alpha1.Rendered)), release("c", "", "d", no(v1alpha1.Rendered)), release("b", "2", "c"), release("a", "1", "b")}, true},
		"an invalid commit before it":            {[]*v1alpha1.Release{release("b", "2", ""), release("z", "", "b", no(v1alpha1.Rendered)), release("a", "1", "z")}, true},
		"the successor of an old one is deleted": {[]*v1alpha1.Release{release("b", "2", ""), release("a", "1", "x")}, true},
		"two that superseded each other":         {[]*v1alpha1.Release{release("b", "2", ""), release("c", "3", "d"), release("d", "4", "c")}, false},
		"the Release of the revision is gone":    {[]*v1alpha1.Release{release("a", "1", "x")}, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, LastActive(c.releases, "b", "2")) })
	}
}

// TestReleasesOfWhichNothingIsObserved: a Release that is Ready claims that clusters run it, also if the Deliveries are already about another.
func TestReleasesOfWhichNothingIsObserved(t *testing.T) {
	ready := func(revision, supersededBy string, ready metav1.ConditionStatus, reason string) *v1alpha1.Release {
		r := &v1alpha1.Release{ObjectMeta: metav1.ObjectMeta{Name: revision, Generation: 1}, Spec: v1alpha1.ReleaseSpec{Revision: revision}}
		r.Status.SupersededBy = supersededBy
		r.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: ready, Reason: reason}}
		return r
	}
	releases := []*v1alpha1.Release{
		ready("e", "", metav1.ConditionFalse, "BuildFailed"), ready("d", "", metav1.ConditionUnknown, status.Progressing),
		ready("c", "", metav1.ConditionTrue, "ReconciliationSucceeded"), ready("b", "c", metav1.ConditionTrue, "ReconciliationSucceeded"),
	}
	none := func(func(manifest.ID, *v1alpha1.FederatedObject) bool) {}
	var names []string
	for _, r := range Records([]*v1alpha1.Delivery{{Spec: v1alpha1.DeliverySpec{Revision: "d"}}}, none, releases, "accord was restarted", time.Now()) {
		names = append(names, r.GetName())
		require.Equal(t, metav1.ConditionUnknown, meta.FindStatusCondition(r.(*v1alpha1.Release).Status.Conditions, "Ready").Status)
	}
	require.Equal(t, []string{"d", "c"}, names)

	reported := Releases(releases, nil, nil, "accord was restarted", time.Now())
	require.Len(t, reported, 1)
	require.Equal(t, "c", reported[0].GetName())
	require.Empty(t, Releases(releases, nil, releases[2], "accord was restarted", time.Now()))
}
