package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accord-dev/accord/api/v1alpha1"
)

func TestLeft(t *testing.T) {
	heard := &metav1.Time{Time: t0.Add(-time.Hour)}
	two := []string{"shop_web_apps_Deployment", "shop_settings__ConfigMap"}
	eu := v1alpha1.RemovedCluster{
		Cluster: "eu-1", Since: stamp(t0), ObjectCount: 2, Objects: []string{"ConfigMap shop/settings", "apps/Deployment shop/web"}, LastProbeTime: heard,
	}
	old := eu
	old.Since, old.ObjectCount, old.Objects = stamp(t0.Add(-24*time.Hour)), 1, []string{"ConfigMap shop/old"}
	us := v1alpha1.RemovedCluster{Cluster: "us-1", Since: stamp(t0.Add(-time.Minute)), ObjectCount: 1, Objects: []string{"ConfigMap shop/old"}}
	answered := eu
	answered.Reachable, answered.LastProbeTime = true, &metav1.Time{Time: t0}
	unseen := eu
	unseen.Since = stamp(t1)

	for _, c := range []struct {
		state   string
		before  []v1alpha1.RemovedCluster
		parting Removal
		want    []v1alpha1.RemovedCluster
		news    bool
	}{
		{"it leaves with two objects", nil, Removal{Cluster: "eu-1", Inventory: two, DeletedAt: t0, LastProbeTime: heard}, []v1alpha1.RemovedCluster{eu}, true},
		{"another left before", []v1alpha1.RemovedCluster{us}, Removal{Cluster: "eu-1", Inventory: two, DeletedAt: t0, LastProbeTime: heard}, []v1alpha1.RemovedCluster{eu, us}, true},
		{"it leaves with nothing", []v1alpha1.RemovedCluster{us}, Removal{Cluster: "eu-1", DeletedAt: t0}, []v1alpha1.RemovedCluster{us}, false},
		{"nobody saw when", nil, Removal{Cluster: "eu-1", Inventory: two, LastProbeTime: heard}, []v1alpha1.RemovedCluster{unseen}, true},
		{"it is recorded again", []v1alpha1.RemovedCluster{eu}, Removal{Cluster: "eu-1", Inventory: two, DeletedAt: t0, LastProbeTime: heard}, []v1alpha1.RemovedCluster{eu}, false},
		{"it is recorded again without a time", []v1alpha1.RemovedCluster{eu}, Removal{Cluster: "eu-1", Inventory: two, Reachable: true}, []v1alpha1.RemovedCluster{eu}, false},
		{"its Delivery is gone, and its Cluster knows better", []v1alpha1.RemovedCluster{eu}, Removal{Cluster: "eu-1", DeletedAt: t0, Reachable: true, LastProbeTime: &metav1.Time{Time: t0}}, []v1alpha1.RemovedCluster{answered}, false},
		{"it left once before, came back and was not delivered to its end", []v1alpha1.RemovedCluster{us, old}, Removal{Cluster: "eu-1", Inventory: two, DeletedAt: t0, LastProbeTime: heard}, []v1alpha1.RemovedCluster{eu, us}, true},
	} {
		t.Run(c.state, func(t *testing.T) {
			before := RemovedClusters{Clusters: c.before, Omitted: 3}
			kept := fmt.Sprint(before)
			next, news := before.Add(c.parting, t1)
			require.Equal(t, RemovedClusters{Clusters: c.want, Omitted: 3}, next)
			require.Equal(t, c.news, news)
			require.Equal(t, kept, fmt.Sprint(before), "it is a value")
		})
	}
	require.Equal(t, []v1alpha1.RemovedCluster{us}, RemovedClusters{Clusters: []v1alpha1.RemovedCluster{eu, us}}.Without("eu-1").Clusters)
	require.Equal(t, []v1alpha1.RemovedCluster{eu}, RemovedClusters{Clusters: []v1alpha1.RemovedCluster{eu}}.Without("us-1").Clusters)
}

func TestLeftIsForgotten(t *testing.T) {
	newer := v1alpha1.RemovedCluster{Cluster: "eu-1", Since: stamp(t0)}
	older := v1alpha1.RemovedCluster{Cluster: "us-1", Since: stamp(t0.Add(-time.Hour))}
	all := RemovedClusters{Clusters: []v1alpha1.RemovedCluster{newer, older}, Omitted: 3}
	for _, c := range []struct {
		state string
		at    time.Time
		want  RemovedClusters
	}{
		{"somebody looked before any left", t0.Add(-2 * time.Hour), all},
		{"somebody looked between them", t0.Add(-time.Minute), RemovedClusters{Clusters: []v1alpha1.RemovedCluster{newer}}},
		{"somebody looked when the last left", t0, RemovedClusters{Clusters: []v1alpha1.RemovedCluster{}}},
	} {
		t.Run(c.state, func(t *testing.T) { require.Equal(t, c.want, all.Since(c.at)) })
	}
	require.Zero(t, RemovedClusters{Omitted: 3}.Since(t0).Omitted, "all that were listed are back")
}

// TestLeftIsBounded: a fleet that comes and goes, with the longest names there are.
func TestLeftIsBounded(t *testing.T) {
	inventory := make([]string, 1000)
	for i := range inventory {
		inventory[i] = fmt.Sprintf("%s_%s-%04d_%s_%s", strings.Repeat("n", 63), strings.Repeat("o", 248), i, strings.Repeat("g", 253), strings.Repeat("K", 63))
	}
	var l RemovedClusters
	for i := range 100 {
		l, _ = l.Add(Removal{Cluster: fmt.Sprintf("%045d-eu", i), Inventory: inventory, DeletedAt: t0, LastProbeTime: &metav1.Time{Time: t0}}, t0)
	}
	require.Len(t, l.Clusters, 20)
	require.EqualValues(t, 80, l.Omitted)
	require.Equal(t, fmt.Sprintf("%045d-eu", 99), l.Clusters[0].Cluster, "the newest first")
	for _, c := range l.Clusters {
		require.EqualValues(t, 1000, c.ObjectCount)
		require.Len(t, c.Objects, 10)
	}
	raw, err := json.Marshal(v1alpha1.FederationStatus{RemovedClusters: l.Clusters, RemovedClustersOmitted: l.Omitted})
	require.NoError(t, err)
	require.Less(t, len(raw), 48<<10)
}

// TestLeftStays: what is judged of a Federation later leaves it as it is.
func TestLeftStays(t *testing.T) {
	left := []v1alpha1.RemovedCluster{{Cluster: "eu-1", Since: stamp(t0), ObjectCount: 1}}
	next := Federation(v1alpha1.FederationStatus{RemovedClusters: left, RemovedClustersOmitted: 2}, 3, FederationInput{FetchError: errors.New("no route")}, t1)
	require.Equal(t, left, next.RemovedClusters)
	require.EqualValues(t, 2, next.RemovedClustersOmitted)
}
