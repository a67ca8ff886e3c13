package reconciler

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
func TestSight(t *testing.T) {
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
	all := sight{conditions: true, room: true}
	for name, c := range map[string]struct {
		change func(*v1alpha1.Cluster)
		sight  sight
		seen   bool // it is another fleet
		room   bool // it has other room
	}{
		"heard from again":                         {func(c *v1alpha1.Cluster) { c.Status.LastProbeTime = &metav1.Time{Time: time.Unix(9, 0)} }, all, false, false},
		"another version":                          {func(c *v1alpha1.Cluster) { c.Status.KubernetesVersion = "v2" }, all, false, false},
		"a label":                                  {func(c *v1alpha1.Cluster) { c.Labels = map[string]string{"a": "b"} }, sight{}, true, false},
		"its declaration":                          {func(c *v1alpha1.Cluster) { c.Spec.Region = "eu" }, sight{}, true, false},
		"it is being removed":                      {func(c *v1alpha1.Cluster) { c.DeletionTimestamp = &metav1.Time{Time: time.Unix(9, 0)} }, sight{}, true, false},
		"it serves one more kind":                  {func(c *v1alpha1.Cluster) { c.Status.APIEnablements = enabled("Pod", "Node", "Secret") }, sight{}, true, false},
		"it lists its kinds in another order":      {func(c *v1alpha1.Cluster) { c.Status.APIEnablements = enabled("Node", "Pod") }, all, false, false},
		"a policy tainted it":                      {func(c *v1alpha1.Cluster) { c.Status.Taints = []corev1.Taint{{Key: "a"}} }, sight{}, true, false},
		"a condition, and no policy taints by it":  {func(c *v1alpha1.Cluster) { c.Status.Conditions[0].Status = "False" }, sight{room: true}, false, false},
		"a condition":                              {func(c *v1alpha1.Cluster) { c.Status.Conditions[0].Status = "False" }, all, true, false},
		"the message of a condition":               {func(c *v1alpha1.Cluster) { c.Status.Conditions[0].Message = "new" }, all, false, false},
		"its room, and nothing is divided by it":   {func(c *v1alpha1.Cluster) { c.Status.ResourceSummary = has("2") }, sight{conditions: true}, false, false},
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

			f := &federation{basis: basis{sight: c.sight}}
			require.Equal(t, c.seen, f.concerned(&before, &after), "worth a look before it is time")
		})
	}
}

// Room that moves is looked at once an interval, and whenever there is another reason to.
func TestBasisRests(t *testing.T) {
	b := basis{revision: "1", room: "a"}
	moved, anew := b, b
	moved.room = "b"
	anew.revision, anew.room = "2", "b"
	for name, c := range map[string]struct {
		next basis
		age  time.Duration
		want bool
	}{
		"nothing changed":                         {b, time.Hour, true},
		"room moved a moment after the last plan": {moved, time.Second, true},
		"room moved, and an interval went by":     {moved, time.Minute, false},
		"another commit":                          {anew, time.Second, false},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, b.rests(c.next, c.age, time.Minute)) })
	}
}
