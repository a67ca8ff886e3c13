package place_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/place"
)

// FuzzSelect: whatever the numbers, each candidate is chosen or left out, or there is a problem. Four bytes make a
// candidate.
func FuzzSelect(f *testing.F) {
	f.Add(int32(5), uint8(0), 2, 2, 1, 2, []byte("a1b2c3d4e5f6"))
	f.Add(int32(math.MaxInt32), uint8(1), 1, 0, 3, 0, []byte("aaaabbbbccccdddd"))
	f.Add(int32(-1), uint8(2), -1, -1, math.MaxInt, math.MinInt, []byte("aaaabbbb"))
	f.Add(int32(9), uint8(3), 2, 1, math.MaxInt, math.MaxInt, []byte("abcdefghijklmnopqrstuvwxyz012345"))
	f.Fuzz(func(t *testing.T, total int32, kind uint8, regionLeast, regionMost, clusterLeast, clusterMost int, clusters []byte) {
		q := place.Question{Workload: kind&4 == 0, Total: total, Fresh: kind&8 != 0}
		q.Placement.SpreadConstraints = []policy.SpreadConstraint{
			{SpreadByField: "cluster", MinGroups: clusterLeast, MaxGroups: clusterMost},
			{SpreadByField: "region", MinGroups: regionLeast, MaxGroups: regionMost},
		}[:1+kind&1]
		if kind&2 != 0 {
			q.Placement.ReplicaScheduling = &policy.ReplicaScheduling{ReplicaSchedulingType: policy.Divided, ReplicaDivisionPreference: policy.Aggregated}
		}
		var candidates []place.Candidate
		for i := 0; i+4 <= len(clusters) && i < 200; i += 4 {
			candidates = append(candidates, place.Candidate{
				Cluster: &fleet.Cluster{Name: fmt.Sprintf("c%03d", i/4), Region: fmt.Sprintf("r%d", clusters[i]%8)},
				Room:    int32(clusters[i+1]) << (clusters[i+3] % 24), Before: int32(clusters[i+2]),
				Chosen: clusters[i+2]%3 == 1, Tier: int(clusters[i+3] % 3),
			})
		}
		s, err := q.Select(candidates)
		if err != nil {
			requireProblem(t, err)
			return
		}
		requireWhole(t, candidates, s)
	})
}
