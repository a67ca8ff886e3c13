package drain_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/drain"
)

func TestSuppressed(t *testing.T) {
	kept := func(name, namespace string) v1alpha1.FederatedObject {
		o := object(name)
		o.Spec.Template.Namespace = namespace
		o.Spec.GracefulEvictionTasks = []v1alpha1.GracefulEvictionTask{{FromCluster: "eu-1"}, {FromCluster: "eu-7", SuppressDeletion: new(true)}}
		return o
	}
	lifted, ended := kept("lifted", "shop"), kept("ended", "shop")
	lifted.Spec.GracefulEvictionTasks[1].SuppressDeletion = new(false)
	ended.Spec.GracefulEvictionTasks[1].CompletionTimestamp = new(metav1.Now())
	all := []v1alpha1.FederatedObject{lifted, ended, kept("web", "shop"), kept("twice", "a"), kept("twice", "b")}

	for _, word := range []string{"configmap/web", "ConfigMaps/web"} {
		o, task, err := drain.Suppressed(all, word, "", "eu-7")
		require.NoError(t, err)
		require.Equal(t, "web", o.Spec.Template.Name)
		require.Equal(t, 1, task)
	}
	o, _, err := drain.Suppressed(all, "configmap/twice", "b", "eu-7")
	require.NoError(t, err)
	require.Equal(t, "b", o.Spec.Template.Namespace)

	for _, c := range []struct{ object, cluster, want string }{
		{"web", "eu-7", `"web": expected KIND/NAME, such as deployment/web`},
		{"configmap/twice", "eu-7", "configmap/twice is ambiguous: ConfigMap a/twice and ConfigMap b/twice: set --namespace"},
		{"configmap/web", "eu-1", "no eviction from eu-1 has suppressDeletion: true"},
		{"configmap/lifted", "eu-7", "the eviction of configmap/lifted from eu-7 does not have suppressDeletion: true; those of ConfigMap a/twice, ConfigMap b/twice and ConfigMap shop/web have it"},
	} {
		_, _, err := drain.Suppressed(all, c.object, "", c.cluster)
		require.EqualError(t, err, c.want)
	}
}
