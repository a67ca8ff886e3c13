package hubobjects

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestPossibleEvictions(t *testing.T) {
	type tasks = map[manifest.ID][]v1alpha1.GracefulEvictionTask
	records := New()
	put := func(name string, all ...v1alpha1.GracefulEvictionTask) manifest.ID {
		o := &v1alpha1.FederatedObject{Spec: v1alpha1.FederatedObjectSpec{
			Template: v1alpha1.TemplateRef{APIVersion: "v1", Kind: "ConfigMap", Name: name}, Results: []v1alpha1.Result{{Clusters: []string{"a"}}},
			GracefulEvictionTasks: all,
		}}
		records.Set(o)
		return o.Spec.Template.ID()
	}
	require.Equal(t, []tasks{{}}, records.PossibleEvictions())
	early, late := &metav1.Time{Time: time.Unix(1, 0)}, &metav1.Time{Time: time.Unix(2, 0)}
	put("new", v1alpha1.GracefulEvictionTask{FromCluster: "a"})
	both := put("both", v1alpha1.GracefulEvictionTask{FromCluster: "a"}, v1alpha1.GracefulEvictionTask{FromCluster: "b"})
	back := put("back", v1alpha1.GracefulEvictionTask{FromCluster: "a", CompletionTimestamp: early})
	stays := put("stays", v1alpha1.GracefulEvictionTask{FromCluster: "a", CompletionTimestamp: late, Cancelled: true})
	require.Equal(t, []tasks{
		records.AllEvictions(),
		{
			both: {{FromCluster: "b"}}, back: {{FromCluster: "a", CompletionTimestamp: early}},
			stays: {{FromCluster: "a", CompletionTimestamp: late, Cancelled: true}},
		},
		{both: {{FromCluster: "b"}}, back: {{FromCluster: "a", CompletionTimestamp: early}}, stays: {{FromCluster: "a"}}},
	}, records.PossibleEvictions())
	require.Len(t, records.AllEvictions(), 4)
	require.Len(t, records.Evictions(both), 2, "the records stay")
	require.True(t, records.Evictions(stays)[0].Cancelled, "the records stay")
}
