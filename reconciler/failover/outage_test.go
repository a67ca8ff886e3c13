package failover

import (
	"testing"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestUnreachable(t *testing.T) {
	for name, c := range map[string]struct {
		ready  metav1.ConditionStatus // empty: the cluster has no condition
		reason string
		lost   bool
		want   bool
	}{
		"Ready":                         {metav1.ConditionTrue, "Succeeded", false, false},
		"Ready until the next probe":    {metav1.ConditionTrue, "Succeeded", true, true},
		"not Ready":                     {metav1.ConditionFalse, v1alpha1.ClusterNotReachable, true, true},
		"not Ready until it answers":    {metav1.ConditionUnknown, v1alpha1.ClusterStatusUnknown, false, true},
		"a cluster that accord refuses": {metav1.ConditionFalse, "AnotherCluster", true, false},
		"never probed":                  {"", "", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := &v1alpha1.Cluster{}
			if c.ready != "" {
				cluster.Status.Conditions = []metav1.Condition{{Type: fluxmeta.ReadyCondition, Status: c.ready, Reason: c.reason}}
			}
			require.Equal(t, c.want, unreachable(cluster, c.lost))
		})
	}
}
