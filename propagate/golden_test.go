package propagate_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/propagate/dump"
)

// TestPlan runs every case of testdata: prose on top, objects, policies and the fleet as Git would have them, and what
// the plan is. Names that begin with render_ show the finished objects, too. Each case is also run with its input
// shuffled and must give the same.
func TestPlan(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		show := strings.HasPrefix(c.Name, "render_")
		got := outcome(c.Text(), show, func(propagate.Input) {})
		c.Equal(t, "want", got)
		for seed := range uint64(3) {
			random := rand.New(rand.NewPCG(seed, 0))
			require.Equal(t, got, outcome(c.Text(), show, func(in propagate.Input) { shuffle(random, in) }), "shuffled, seed %d", seed)
		}
	})
}

func shuffle(random *rand.Rand, in propagate.Input) {
	random.Shuffle(len(in.Objects), func(i, j int) { in.Objects[i], in.Objects[j] = in.Objects[j], in.Objects[i] })
	random.Shuffle(len(in.Policies), func(i, j int) { in.Policies[i], in.Policies[j] = in.Policies[j], in.Policies[i] })
	random.Shuffle(len(in.Overrides), func(i, j int) { in.Overrides[i], in.Overrides[j] = in.Overrides[j], in.Overrides[i] })
	random.Shuffle(len(in.Fleet), func(i, j int) { in.Fleet[i], in.Fleet[j] = in.Fleet[j], in.Fleet[i] })
	random.Shuffle(len(in.Previous), func(i, j int) { in.Previous[i], in.Previous[j] = in.Previous[j], in.Previous[i] })
	random.Shuffle(len(in.Rebalancers), func(i, j int) { in.Rebalancers[i], in.Rebalancers[j] = in.Rebalancers[j], in.Rebalancers[i] })
	random.Shuffle(len(in.TaintPolicies), func(i, j int) {
		in.TaintPolicies[i], in.TaintPolicies[j] = in.TaintPolicies[j], in.TaintPolicies[i]
	})
}

// outcome is the plan of a case as a person reads it, or what is wrong with its input.
func outcome(text []byte, show bool, disturb func(propagate.Input)) string {
	in, err := dump.Read(text)
	if err != nil {
		return "error:\n" + err.Error() + "\n"
	}
	disturb(in)
	plan, err := propagate.New(in)
	if err != nil {
		return "error:\n" + err.Error() + "\n"
	}
	var b bytes.Buffer
	for _, d := range plan.Decisions {
		describe(&b, d)
	}
	shown := map[string]bool{}
	for _, c := range plan.Clusters() {
		clusterItems(&b, plan.ForCluster(c), show, shown)
	}
	return b.String()
}

func describe(b *bytes.Buffer, d *decision.Decision) {
	fmt.Fprintf(b, "%s", d.ID)
	if d.Policy != nil {
		fmt.Fprintf(b, " (%s)", d.Policy.Title())
	}
	for _, mark := range []struct {
		set  bool
		text string
	}{{d.Term != "", " term " + d.Term}, {d.PlacementRetained, " kept"}, {d.Lazy, " waits"}, {d.Rebalanced != "", " rebalanced by " + d.Rebalanced}} {
		if mark.set {
			b.WriteString(mark.text)
		}
	}
	if d.Why != "" {
		fmt.Fprintf(b, ": %s", d.Why)
	}
	b.WriteString("\n")
	for _, passed := range d.FailedTerms {
		fmt.Fprintf(b, "  passed %s: %s (%s)\n", passed.Term, passed.Why, passed.At)
	}
	for _, c := range d.Chosen {
		fmt.Fprintf(b, "  + %s%s\n", c.Cluster, choice(c))
	}
	for _, r := range d.Refused {
		fmt.Fprintf(b, "  - %s: %s (%s)\n", r.Cluster, r.Why, r.At)
	}
}

func choice(c decision.Choice) string {
	var s string
	if c.Replicas != nil {
		s += fmt.Sprintf(" %d", *c.Replicas)
	}
	if c.Completions != nil {
		s += fmt.Sprintf(" completions %d", *c.Completions)
	}
	if c.Implied {
		s += " implied"
	}
	if c.RequiredBy != nil {
		s += " for " + c.RequiredBy.String()
	}
	if c.Held != "" {
		s += " held: " + c.Held
	}
	return s
}

func clusterItems(b *bytes.Buffer, t propagate.ClusterPlan, show bool, shown map[string]bool) {
	fmt.Fprintf(b, "\n%s:\n", t.Cluster)
	for _, p := range t.Objects {
		fmt.Fprintf(b, "  %s %s%s\n", p.Digest, p.ID, marks(p))
		for _, e := range p.Edits {
			fmt.Fprintf(b, "    %s by %s (%s)\n", e.Path, e.Policy, e.At)
		}
		if show && !shown[string(p.Body.Bytes())] {
			shown[string(p.Body.Bytes())] = true
			text, err := yaml.JSONToYAML(p.Body.Bytes())
			if err != nil {
				text = []byte(err.Error())
			}
			b.WriteString("      " + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n      ") + "\n")
		}
	}
	for _, f := range t.Failed {
		fmt.Fprintf(b, "  failed %s: %s\n", f.ID, f.Err)
	}
}

func marks(p propagate.Placed) string {
	flags := map[string]bool{" held": p.Held != "", " overwrite": p.Overwrite, " implied": p.Implied}
	maps.DeleteFunc(flags, func(_ string, set bool) bool { return !set })
	return strings.Join(slices.Sorted(maps.Keys(flags)), "")
}
