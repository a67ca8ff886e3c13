package place_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/propagate/place"
)

// TestRandomSelections: every candidate is chosen or left out with a reason, the numbers of groups are those that are
// wanted, the order of the candidates does not matter, and to select from what was selected changes nothing.
func TestRandomSelections(t *testing.T) {
	selected, problems := 0, 0
	for seed := range uint64(4000) {
		random := rand.New(rand.NewPCG(seed, 3))
		q := randomQuestion(random)
		candidates := randomCandidates(random, q)
		s, err := q.Select(candidates)
		shuffled := slices.Clone(candidates)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		again, errAgain := q.Select(shuffled)
		require.Equal(t, s, again, "seed %d", seed)
		require.Equal(t, err, errAgain, "seed %d", seed)
		if err != nil {
			problems++
			requireProblem(t, err)
			require.Empty(t, s)
			continue
		}
		selected++
		requireWhole(t, candidates, s)
		requireBounds(t, q, candidates, s)
		there, placed := settle(q, candidates, s)
		if !placed {
			continue // there is too little room to divide the replicas
		}
		settled, err := q.Select(there)
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, chosen(s), chosen(settled), "seed %d: %+v", seed, q)
	}
	require.Greater(t, selected, 1500)
	require.Greater(t, problems, 200)
}

func requireProblem(t *testing.T, err error) {
	t.Helper()
	var problem *place.Problem
	require.ErrorAs(t, err, &problem)
	require.NotEmpty(t, problem.Message)
	require.EqualError(t, err, problem.Message)
	require.Contains(t, problem.Field, "spreadConstraints")
}

func requireWhole(t *testing.T, candidates []place.Candidate, s place.Selection) {
	t.Helper()
	var want, got []string
	for _, c := range candidates {
		want = append(want, c.Cluster.Name)
	}
	for _, l := range s.NotChosen {
		got = append(got, l.Cluster)
		require.NotEmpty(t, l.Why)
		require.Contains(t, l.Field, "spreadConstraints")
	}
	require.True(t, slices.IsSorted(got))
	require.True(t, slices.IsSorted(chosen(s)))
	require.ElementsMatch(t, want, append(got, chosen(s)...))
}

// requireBounds checks the selection against the constraints, each as it is written.
func requireBounds(t *testing.T, q place.Question, candidates []place.Candidate, s place.Selection) {
	t.Helper()
	if static(q.Placement.ReplicaScheduling) {
		require.Len(t, s.Chosen, len(candidates))
		return
	}
	regions := map[string]bool{}
	for _, c := range s.Chosen {
		regions[c.Cluster.Region] = true
	}
	byRegion := slices.ContainsFunc(q.Placement.SpreadConstraints, func(s policy.SpreadConstraint) bool { return s.SpreadByField == "region" })
	for _, c := range q.Placement.SpreadConstraints {
		switch {
		case c.SpreadByField == "zone": // acts as a filter only
		case c.SpreadByField == "region":
			require.GreaterOrEqual(t, len(regions), c.MinGroups)
			require.True(t, c.MaxGroups == 0 || len(regions) <= c.MaxGroups)
		case byRegion: // each region has one, even beyond maxGroups (Karmada §4.5, step 5)
			require.True(t, c.MaxGroups == 0 || len(s.Chosen) <= max(c.MaxGroups, len(regions)))
			require.GreaterOrEqual(t, len(s.Chosen), c.MinGroups)
		default:
			require.GreaterOrEqual(t, len(s.Chosen), c.MinGroups)
			require.True(t, c.MaxGroups == 0 || len(s.Chosen) <= c.MaxGroups)
		}
	}
}

func static(s *policy.ReplicaScheduling) bool {
	return s != nil && s.ReplicaSchedulingType == policy.Divided && s.ReplicaDivisionPreference == policy.Weighted && s.WeightPreference == nil
}

func chosen(s place.Selection) []string {
	var names []string
	for _, c := range s.Chosen {
		names = append(names, c.Cluster.Name)
	}
	return names
}

// settle is the candidates when the object is where it was selected to be, and the room is less for it. placed says
// whether all replicas are anywhere.
func settle(q place.Question, candidates []place.Candidate, s place.Selection) (settled []place.Candidate, placed bool) {
	left := q.Total
	settled = slices.Clone(candidates)
	for i := range settled {
		c := &settled[i]
		c.Room += c.Before
		c.Before, c.Chosen = 0, false
		if !slices.Contains(chosen(s), c.Cluster.Name) {
			continue
		}
		c.Chosen = true
		if q.Placement.ReplicaScheduling == nil {
			c.Before = q.Total
		} else {
			c.Before = min(left, c.Room)
			left -= c.Before
		}
		c.Room = max(0, c.Room-c.Before)
	}
	return settled, left == 0 || q.Placement.ReplicaScheduling == nil
}

func randomQuestion(random *rand.Rand) place.Question {
	q := place.Question{Workload: random.IntN(5) > 0, Total: random.Int32N(40)}
	if !q.Workload {
		q.Total = 0
	}
	for _, by := range []string{"region", "cluster", "zone"} {
		if by == "cluster" || random.IntN(2) == 0 {
			c := policy.SpreadConstraint{SpreadByField: by, MinGroups: 1 + random.IntN(3)}
			if random.IntN(3) > 0 {
				c.MaxGroups = c.MinGroups + random.IntN(3)
			}
			q.Placement.SpreadConstraints = append(q.Placement.SpreadConstraints, c)
		}
	}
	switch random.IntN(6) {
	case 3:
		q.Placement.ReplicaScheduling = &policy.ReplicaScheduling{
			ReplicaSchedulingType: policy.Divided, ReplicaDivisionPreference: policy.Weighted, WeightPreference: &policy.WeightPreference{},
		}
	case 0, 1:
		q.Placement.ReplicaScheduling = &policy.ReplicaScheduling{ReplicaSchedulingType: policy.Divided, ReplicaDivisionPreference: policy.Aggregated}
	case 2:
		q.Placement.ReplicaScheduling = &policy.ReplicaScheduling{ReplicaSchedulingType: policy.Divided, ReplicaDivisionPreference: policy.Weighted}
	}
	return q
}

// randomCandidates are in overflow tiers only where a policy can have those: when replicas are divided by room.
func randomCandidates(random *rand.Rand, q place.Question) []place.Candidate {
	r := q.Placement.ReplicaScheduling
	tiers := r != nil && r.ReplicaDivisionPreference == policy.Aggregated
	all := make([]place.Candidate, random.IntN(9))
	for i := range all {
		all[i] = place.Candidate{
			Cluster: &fleet.Cluster{Name: fmt.Sprintf("c%d", i), Region: fmt.Sprintf("r%d", random.IntN(4))},
			Room:    random.Int32N(30),
		}
		if tiers {
			all[i].Tier = max(0, random.IntN(4)-2)
		}
		if random.IntN(3) == 0 {
			all[i].Chosen, all[i].Before = true, random.Int32N(10)
		}
	}
	return all
}
