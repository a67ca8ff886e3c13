package inputkey

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// What changes on a cluster all the time makes no new plan, unless a plan depends on it.
func TestFleetView(t *testing.T) {
	enabled := func(kinds ...string) []v1alpha1.APIEnablement {
		e := v1alpha1.APIEnablement{GroupVersion: "v1"}
		for _, k := range kinds {
			e.Resources = append(e.Resources, v1alpha1.APIResource{Kind: k})
		}
		return []v1alpha1.APIEnablement{e}
	}
	has := func(cpu string) *v1alpha1.ResourceSummary {
		return &v1alpha1.ResourceSummary{Allocatable: corev1.ResourceList{"cpu": resource.MustParse(cpu)}}
	}
	all := View{Conditions: true, Room: true}
	for name, c := range map[string]struct {
		change func(*v1alpha1.Cluster)
		sight  View
		seen   bool // it is another fleet
		room   bool // it has other room
	}{
		"heard from again":                         {func(c *v1alpha1.Cluster) { c.Status.LastProbeTime = &metav1.Time{Time: time.Unix(9, 0)} }, all, false, false},
		"another version":                          {func(c *v1alpha1.Cluster) { c.Status.KubernetesVersion = "v2" }, all, false, false},
		"a label":                                  {func(c *v1alpha1.Cluster) { c.Labels = map[string]string{"a": "b"} }, View{}, true, false},
		"its declaration":                          {func(c *v1alpha1.Cluster) { c.Spec.Region = "eu" }, View{}, true, false},
		"it is being removed":                      {func(c *v1alpha1.Cluster) { c.DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)} }, View{}, true, false},
		"it serves one more kind":                  {func(c *v1alpha1.Cluster) { c.Status.APIEnablements = enabled("Pod", "Node", "Secret") }, View{}, true, false},
		"it lists its kinds in another order":      {func(c *v1alpha1.Cluster) { c.Status.APIEnablements = enabled("Node", "Pod") }, all, false, false},
		"a policy tainted it":                      {func(c *v1alpha1.Cluster) { c.Status.Taints = []corev1.Taint{{Key: "a"}} }, View{}, true, false},
		"a condition, and no policy taints by it":  {func(c *v1alpha1.Cluster) { c.Status.Conditions[0].Status = "False" }, View{Room: true}, false, false},
		"a condition":                              {func(c *v1alpha1.Cluster) { c.Status.Conditions[0].Status = "False" }, all, true, false},
		"the message of a condition":               {func(c *v1alpha1.Cluster) { c.Status.Conditions[0].Message = "new" }, all, false, false},
		"its room, and nothing is divided by it":   {func(c *v1alpha1.Cluster) { c.Status.ResourceSummary = has("2") }, View{Conditions: true}, false, false},
		"its room":                                 {func(c *v1alpha1.Cluster) { c.Status.ResourceSummary = has("2") }, all, false, true},
		"its room, measured anew with one outcome": {func(c *v1alpha1.Cluster) { c.Status.ResourceSummary.MeasuredAt = &metav1.Time{Time: time.Unix(9, 0)} }, all, false, false},
		"its room is not known any more":           {func(c *v1alpha1.Cluster) { c.Status.ResourceSummary = nil }, all, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			before := v1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "eu"}}
			before.Status.APIEnablements = enabled("Pod", "Node")
			before.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: "True"}}
			before.Status.ResourceSummary = has("1")
			after := *before.DeepCopy()
			c.change(&after)
			seen, room := c.sight.digests([]v1alpha1.Cluster{before})
			seenAfter, roomAfter := c.sight.digests([]v1alpha1.Cluster{after})
			require.Equal(t, c.seen, seen != seenAfter, "seen")
			require.Equal(t, c.room, room != roomAfter, "room")

			require.Equal(t, c.seen, c.sight.Sees(before, after), "reconciled before the interval is over")
		})
	}
}

// Room that moves is looked at once an interval, and whenever there is another reason to.
func TestInputKeyUnchanged(t *testing.T) {
	b := Key{Revision: "1", Room: "a"}
	moved, other := b, b
	moved.Room = "b"
	other.Revision, other.Room = "2", "b"
	for name, c := range map[string]struct {
		next Key
		age  time.Duration
		want bool
	}{
		"nothing changed":                         {b, time.Hour, true},
		"room moved a moment after the last plan": {moved, time.Second, true},
		"room moved, and an interval went by":     {moved, time.Minute, false},
		"another commit":                          {other, time.Second, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, b.Unchanged(c.next, c.age, time.Minute)) })
	}
}
