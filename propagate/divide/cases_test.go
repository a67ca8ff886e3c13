package divide_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate/divide"
	"github.com/accord-dev/accord/propagate/place"
)

// ask is a case of testdata. A case with a request asks every cluster for its room and shows it; without one, the room
// is what the case says. A case without clusters that were given something before has nothing in the past.
type ask struct {
	Total             int32                     `json:"total"`
	ReplicaScheduling *policy.ReplicaScheduling `json:"replicaScheduling"`
	Seed              uint32                    `json:"seed"`
	Fresh             bool                      `json:"fresh"`
	Tiers             []string                  `json:"tiers"`
	Completions       int32                     `json:"completions"`
	Request           corev1.ResourceList       `json:"request"`
	Clusters          []member                  `json:"clusters"`
}

type member struct {
	fleet.Cluster `json:",inline"`
	Room          int32  `json:"room"`
	Before        *int32 `json:"before"`
	Tier          int    `json:"tier"`
	Unschedulable int32  `json:"unschedulable"`
}

// TestCases runs every case of testdata: prose on top, then what is asked, then what is answered. Each is also run with
// its clusters shuffled and must give the same.
func TestCases(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		var a ask
		require.NoError(t, yaml.UnmarshalStrict(c.Part("ask"), &a))
		got := answer(a)
		c.Equal(t, "want", got)
		for seed := range uint64(5) {
			random := rand.New(rand.NewPCG(seed, 0))
			random.Shuffle(len(a.Clusters), func(i, j int) { a.Clusters[i], a.Clusters[j] = a.Clusters[j], a.Clusters[i] })
			require.Equal(t, got, answer(a), "shuffled, seed %d", seed)
		}
	})
}

// answer returns the result of a case, sorted by cluster: its room if requested, its share (+) or its refusal
// (-), and how that came about.
func answer(a ask) string {
	var b bytes.Buffer
	r := divide.Request{Total: a.Total, Scheduling: a.ReplicaScheduling, Seed: a.Seed, Fresh: a.Fresh, Tiers: a.Tiers}
	for _, m := range a.Clusters {
		c := place.Candidate{Cluster: &m.Cluster, Room: m.Room, Tier: m.Tier, Unschedulable: m.Unschedulable}
		if m.Before != nil {
			c.Chosen, c.Before = true, *m.Before
		}
		if a.Request != nil {
			c.Room = divide.Room(m.Cluster, a.Request, a.Total)
		}
		r.Candidates = append(r.Candidates, c)
	}
	shares, err := divide.Replicas(r)
	var problem *place.Problem
	if errors.As(err, &problem) {
		fmt.Fprintf(&b, "%s (%s)\n", problem.Message, problem.Field)
	}
	phrases := divide.Explain(r)
	completions := completed(a, r, shares)
	order := make([]int, len(r.Candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(r.Candidates[i].Cluster.Name, r.Candidates[j].Cluster.Name) })
	for _, i := range order {
		name := r.Candidates[i].Cluster.Name
		if a.Request != nil {
			fmt.Fprintf(&b, "  %s has room for %d\n", name, r.Candidates[i].Room)
		}
		switch {
		case shares == nil:
			fmt.Fprintf(&b, "  ? %s: %s\n", name, phrases[i])
		case shares[i].Refused != "":
			fmt.Fprintf(&b, "  - %s %s (%s)\n", name, shares[i].Refused, shares[i].Field)
			if phrases[i] != shares[i].Refused {
				fmt.Fprintf(&b, "    %s\n", phrases[i])
			}
		default:
			fmt.Fprintf(&b, "  + %s %d%s: %s\n", name, shares[i].Replicas, completions[i], phrases[i])
		}
	}
	return b.String()
}

// completed divides the completions of a Job by the shares of its parallelism, as package propagate does.
func completed(a ask, r divide.Request, shares []divide.Share) []string {
	texts := make([]string, len(shares))
	if a.Completions == 0 {
		return texts
	}
	parties := make([]divide.Party, len(shares))
	for i, s := range shares {
		parties[i] = divide.Party{Name: r.Candidates[i].Cluster.Name, Votes: int64(s.Replicas)}
	}
	for i, n := range divide.Webster(a.Completions, parties, r.Seed) {
		texts[i] = fmt.Sprintf(" completions %d", n)
	}
	return texts
}
