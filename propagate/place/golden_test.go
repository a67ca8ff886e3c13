package place_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/clusters/fleet"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate/place"
)

// ask is the part of a case that says what is placed and which clusters there are.
type ask struct {
	Placement policy.Placement `json:"placement"`
	Term      int              `json:"term"`
	Replicas  *int32           `json:"replicas"` // absent: no workload
	Fresh     bool             `json:"fresh"`
	Together  []peer           `json:"together"`
	Apart     []peer           `json:"apart"`
	Clusters  []cluster        `json:"clusters"`
}

type peer struct {
	Name string   `json:"name"`
	In   []string `json:"in"`
}

type cluster struct {
	fleet.Cluster `json:",inline"`
	Serves        []string `json:"serves"`   // versions of Deployment; absent: the cluster was never asked
	Partial       bool     `json:"partial"`  // it could not list all that it serves
	Provided      bool     `json:"provided"` // it gets the kind from the same plan
	Room          int32    `json:"room"`
	Has           *int32   `json:"has"` // replicas there already
}

// TestPlace runs every case of testdata: prose on top, what is asked, and the answer for each cluster. Each is also run
// with the clusters in another order and must give the same.
func TestPlace(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		var in ask
		require.NoError(t, yaml.UnmarshalStrict(c.Part("ask"), &in))
		got := answer(in)
		c.Equal(t, "want", got)
		for seed := range uint64(5) {
			random := rand.New(rand.NewPCG(seed, 0))
			random.Shuffle(len(in.Clusters), func(i, j int) { in.Clusters[i], in.Clusters[j] = in.Clusters[j], in.Clusters[i] })
			require.Equal(t, got, answer(in), "shuffled, seed %d", seed)
		}
	})
}

// answer is a line for each cluster, by name, and the problem if there is one.
func answer(in ask) string {
	q := question(in)
	lines := map[string]string{}
	var fit []place.Candidate
	for _, c := range in.Clusters {
		if c.Serves != nil {
			c.APIs = &fleet.APIs{Complete: !c.Partial, Served: served(c.Serves)}
		}
		if refusal := q.Refuses(c.Cluster); refusal != nil {
			lines[c.Name] = no(refusal.Why, refusal.Field)
			continue
		}
		candidate := place.Candidate{Cluster: &c.Cluster, Room: c.Room, Chosen: c.Has != nil, Tier: q.Tier(c.Cluster)}
		if c.Has != nil {
			candidate.Before = *c.Has
		}
		fit = append(fit, candidate)
	}
	var b bytes.Buffer
	selection, err := q.Select(fit)
	if problem, ok := errors.AsType[*place.Problem](err); ok {
		fmt.Fprintf(&b, "problem: %s\n", no(problem.Message, problem.Field))
	}
	for _, c := range selection.Chosen {
		lines[c.Cluster.Name] = "chosen"
		if c.Tier > 0 {
			lines[c.Cluster.Name] += fmt.Sprintf(" in overflow tier %d", c.Tier)
		}
	}
	for _, l := range selection.NotChosen {
		lines[l.Cluster] = no(l.Why, l.Field)
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		fmt.Fprintf(&b, "%s: %s\n", name, lines[name])
	}
	return b.String()
}

func no(why, field string) string {
	if field == "" {
		return why
	}
	return fmt.Sprintf("%s (%s)", why, field)
}

func question(in ask) place.Question {
	q := place.Question{
		Placement: in.Placement, Term: in.Term, Workload: in.Replicas != nil, Fresh: in.Fresh,
		GVK: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		On:  map[string]bool{}, Provided: map[string]bool{}, Together: peers(in.Together), Apart: peers(in.Apart),
	}
	if in.Replicas != nil {
		q.Total = *in.Replicas
	}
	for _, c := range in.Clusters {
		q.On[c.Name], q.Provided[c.Name] = c.Has != nil, c.Provided
	}
	return q
}

func peers(in []peer) []place.Peer {
	var all []place.Peer
	for _, p := range in {
		on := map[string]bool{}
		for _, name := range p.In {
			on[name] = true
		}
		all = append(all, place.Peer{Name: p.Name, On: on})
	}
	return all
}

func served(versions []string) map[schema.GroupVersionKind]bool {
	all := map[schema.GroupVersionKind]bool{}
	for _, version := range versions {
		all[schema.GroupVersionKind{Group: "apps", Version: version, Kind: "Deployment"}] = true
	}
	return all
}
