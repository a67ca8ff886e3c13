package member

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/clusters"
)

func TestDefectF4DuplicateCluster(t *testing.T) {
	named := func(name string, age time.Duration, id string) v1alpha1.Cluster {
		return v1alpha1.Cluster{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(10000, 0).Add(-age))},
			Spec:       v1alpha1.ClusterSpec{ID: id},
		}
	}
	deleted := named("old", time.Hour, "x")
	deleted.DeletionTimestamp = &metav1.Time{}
	for name, c := range map[string]struct {
		others []v1alpha1.Cluster
		uids   map[string]string
		same   bool
	}{
		"alone":                            {uids: map[string]string{"eu-2": "x"}},
		"an older one has its spec.id":     {others: []v1alpha1.Cluster{named("eu-1", time.Hour, "x")}, uids: map[string]string{"eu-2": "x"}, same: true},
		"an older one has its UID":         {others: []v1alpha1.Cluster{named("eu-1", time.Hour, "")}, uids: map[string]string{"eu-1": "x", "eu-2": "x"}, same: true},
		"a newer one has its UID":          {others: []v1alpha1.Cluster{named("eu-1", -time.Hour, "")}, uids: map[string]string{"eu-1": "x", "eu-2": "x"}},
		"as old, and the name decides":     {others: []v1alpha1.Cluster{named("eu-1", 0, "x")}, uids: map[string]string{"eu-2": "x"}, same: true},
		"spec.id is wrong, the UID counts": {others: []v1alpha1.Cluster{named("eu-1", time.Hour, "x")}, uids: map[string]string{"eu-1": "y", "eu-2": "x"}},
		"neither may be read":              {others: []v1alpha1.Cluster{named("eu-1", time.Hour, "")}, uids: map[string]string{"eu-1": "", "eu-2": ""}},
		"the older one is being deleted":   {others: []v1alpha1.Cluster{deleted}, uids: map[string]string{"eu-2": "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			own := named("eu-2", 0, "")
			err := duplicate(&own, append(c.others, own), c.uids)
			if !c.same {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "Cluster eu-1 is the same cluster")
			require.Equal(t, clusters.DuplicateCluster, clusters.Reason(err))
		})
	}
}

func TestDefectF4AnotherCluster(t *testing.T) {
	for name, c := range map[string]struct {
		id, uid string
		other   bool
	}{
		"the same": {"x", "x", false}, "another": {"x", "y", true}, "no spec.id": {"", "y", false}, "the UID may not be read": {"x", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			err := clusters.CheckIdentity("eu-1", c.id, c.uid)
			require.Equal(t, c.other, err != nil)
			if c.other {
				require.Equal(t, clusters.AnotherCluster, clusters.Reason(err))
			}
		})
	}
}
