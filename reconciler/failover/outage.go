package failover

import (
	"slices"

	fluxmeta "github.com/fluxcd/pkg/apis/meta"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

// unreachable reports whether a cluster counts for maxUnreachable: it failed, or it is Ready and lost. The next probe of such a cluster
// may be seconds away, while the taint of another cluster, which was probed earlier in the same outage, already evicts.
func unreachable(c *v1alpha1.Cluster, lost bool) bool {
	return failed(c) || lost && meta.IsStatusConditionTrue(c.Status.Conditions, fluxmeta.ReadyCondition)
}

// failed reports whether a cluster is not Ready, was probed, and is not refused.
func failed(c *v1alpha1.Cluster) bool {
	ready := meta.FindStatusCondition(c.Status.Conditions, fluxmeta.ReadyCondition)
	return ready != nil && ready.Status != metav1.ConditionTrue &&
		slices.Contains([]string{v1alpha1.ClusterNotReachable, v1alpha1.ClusterNotReady, v1alpha1.ClusterStatusUnknown}, ready.Reason)
}
