package place_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/place"
)

// BenchmarkPlace is one object and a hundred clusters in twenty regions: every filter asked, three regions chosen.
func BenchmarkPlace(b *testing.B) {
	q := place.Question{Workload: true, Total: 30}
	q.Placement = policy.Placement{
		ClusterAffinity: &policy.ClusterAffinity{Exclude: []string{"c007"}},
		SpreadConstraints: []policy.SpreadConstraint{
			{SpreadByField: "region", MinGroups: 3, MaxGroups: 5}, {SpreadByField: "cluster", MinGroups: 6, MaxGroups: 12},
		},
	}
	var clusters []fleet.Cluster
	for i := range 100 {
		clusters = append(clusters, fleet.Cluster{Name: fmt.Sprintf("c%03d", i), Region: fmt.Sprintf("r%02d", i*i%20)})
	}
	for b.Loop() {
		var fit []place.Candidate
		for i, c := range clusters {
			if q.Refuses(c) == nil {
				fit = append(fit, place.Candidate{Cluster: &c, Room: int32(i)})
			}
		}
		_, err := q.Select(fit)
		require.NoError(b, err)
	}
}
