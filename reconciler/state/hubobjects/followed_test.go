package hubobjects

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestFollowedEvictions(t *testing.T) {
	records := New()
	put := func(name string, tasks ...v1alpha1.GracefulEvictionTask) manifest.ID {
		o := &v1alpha1.FederatedObject{Spec: v1alpha1.FederatedObjectSpec{
			Template: v1alpha1.TemplateRef{APIVersion: "v1", Kind: "ConfigMap", Name: name}, Results: []v1alpha1.Result{{Clusters: []string{"a"}}},
			GracefulEvictionTasks: tasks,
		}}
		records.Set(o)
		return o.Spec.Template.ID()
	}
	ended := &metav1.Time{Time: time.Unix(1, 0)}
	put("new", v1alpha1.GracefulEvictionTask{FromCluster: "a"})
	both := put("both", v1alpha1.GracefulEvictionTask{FromCluster: "a"}, v1alpha1.GracefulEvictionTask{FromCluster: "b"})
	back := put("back", v1alpha1.GracefulEvictionTask{FromCluster: "a", CompletionTimestamp: ended})
	require.Len(t, records.AllEvictions(), 3)
	require.Equal(t, map[manifest.ID][]v1alpha1.GracefulEvictionTask{
		both: {{FromCluster: "b"}}, back: {{FromCluster: "a", CompletionTimestamp: ended}},
	}, records.FollowedEvictions())
	require.Len(t, records.Evictions(both), 2, "the records stay")
}
