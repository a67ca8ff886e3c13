package drain_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/cmd/accord/drain"
	"github.com/accord-dev/accord/propagate/failover"
)

func object(name string, on ...string) v1alpha1.FederatedObject {
	o := v1alpha1.FederatedObject{ObjectMeta: metav1.ObjectMeta{Namespace: "teams"}}
	o.Spec.Federation, o.Spec.Template = "shop", v1alpha1.TemplateRef{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: name}
	o.Spec.Results = []v1alpha1.Result{{Clusters: on}}
	return o
}

func inventory(cluster string, n int32) v1alpha1.Delivery {
	return v1alpha1.Delivery{Spec: v1alpha1.DeliverySpec{Cluster: cluster}, Status: v1alpha1.DeliveryStatus{InventoryCount: n}}
}

// TestCannotLeave has objects that cannot leave end the wait, and objects that only wait for their turn not.
func TestCannotLeave(t *testing.T) {
	homeless, turn := object("homeless", "eu-7"), object("turn", "eu-7")
	homeless.Spec.GracefulEvictionTasks = []v1alpha1.GracefulEvictionTask{{FromCluster: "eu-7"}}
	homeless.Status.Evictions = []v1alpha1.EvictionState{{Cluster: "eu-7", Phase: v1alpha1.EvictionOpen, Message: failover.WaitsForPlace + "eu-1 not in clusterNames [eu-7]"}}
	turn.Status.Evictions = []v1alpha1.EvictionState{{Cluster: "eu-7", Phase: v1alpha1.EvictionBlocked, Message: "cluster eu-7 is being removed; " + failover.WaitsForTurn + ": at most 1 evictions begin per second"}}
	p := drain.Of("eu-7", []v1alpha1.FederatedObject{homeless}, nil)
	require.True(t, p.Done())
	require.Equal(t, "eu-7: 1 blocked (0 objects there)", p.String())
	silent := homeless
	silent.Status.Evictions = []v1alpha1.EvictionState{{Cluster: "eu-7", Phase: v1alpha1.EvictionOpen, Message: "the object is healthy on eu-1; eu-7 " + failover.SourceIsSilent}}
	require.Len(t, drain.Of("eu-7", []v1alpha1.FederatedObject{silent}, nil).Blocked, 1, "only the cluster is missing")
	p = drain.Of("eu-7", []v1alpha1.FederatedObject{homeless, turn}, nil)
	require.False(t, p.Done())
	require.Equal(t, "eu-7: 1 waiting for an eviction, 1 blocked (0 objects there)", p.String())
}

func TestProgress(t *testing.T) {
	elsewhere, waits := object("elsewhere", "eu-1"), object("waits", "eu-7", "eu-1")
	leaves := object("leaves", "eu-1")
	leaves.Spec.GracefulEvictionTasks = []v1alpha1.GracefulEvictionTask{{FromCluster: "eu-7"}}
	leaves.Status.Evictions = []v1alpha1.EvictionState{{Cluster: "eu-7", Phase: v1alpha1.EvictionOpen, Message: "waits until the object is healthy on eu-1"}}
	left := object("left", "eu-1")
	left.Spec.GracefulEvictionTasks = []v1alpha1.GracefulEvictionTask{{FromCluster: "eu-7", CompletionTimestamp: new(metav1.Now())}}
	blocked := object("blocked", "eu-7")
	blocked.Status.Evictions = []v1alpha1.EvictionState{{Cluster: "eu-7", Phase: v1alpha1.EvictionBlocked, Message: "it is held"}}
	needed := object("needed", "eu-7")
	needed.Spec.RequiredBy = []v1alpha1.Requirement{{Object: "blocked", Clusters: []string{"eu-7"}}}
	all := []v1alpha1.FederatedObject{waits, elsewhere, leaves, left, blocked, needed}

	p := drain.Of("eu-7", all, []v1alpha1.Delivery{inventory("eu-7", 4), inventory("eu-1", 9)})
	require.Equal(t, drain.Progress{
		Cluster:   "eu-7",
		Leaving:   []drain.Object{{Federation: "teams/shop", Object: "ConfigMap shop/leaves", Message: "waits until the object is healthy on eu-1"}},
		Waiting:   []drain.Object{{Federation: "teams/shop", Object: "ConfigMap shop/waits"}},
		Blocked:   []drain.Object{{Federation: "teams/shop", Object: "ConfigMap shop/blocked", Message: "it is held"}},
		Remaining: 4,
	}, p)
	require.False(t, p.Done())
	require.Equal(t, "eu-7: 1 leaving, 1 waiting for an eviction, 1 blocked (4 objects there)", p.String())

	require.True(t, drain.Of("eu-7", all[4:], nil).Done(), "an object that cannot leave ends the wait")
	deleting := drain.Of("eu-7", all[1:2], []v1alpha1.Delivery{inventory("eu-7", 1)})
	require.False(t, deleting.Done(), "the old copy is still there")
	require.Equal(t, "eu-7: accord deletes 1 object there", deleting.String())
	gone := drain.Of("eu-7", all[1:2], []v1alpha1.Delivery{inventory("eu-7", 0)})
	require.True(t, gone.Done())
	require.Equal(t, "eu-7: no object is left", gone.String())
}
