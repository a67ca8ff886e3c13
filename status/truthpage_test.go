package status

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/accord-dev/accord/api/v1alpha1"
	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/status/readiness"
)

// truthPage collects rows: for people, in docs/reference/truth.md, and for tests with real tools, in testdata/truth.jsonl.
type truthPage struct {
	text    strings.Builder
	samples strings.Builder
}

// A group are all scenes of one fact with the same outcome.
type group struct {
	fact    string
	outcome outcome
	scenes  []scene
	// least are the smallest scenes, and rest what may be in it beside them: a scene is of the group if and only if it has
	// all words of one of the least, and no word that is in none of them and not in rest.
	least [][]string
	rest  []string
	// empty: the scene without any part is of the group, too.
	empty bool
}

// add appends the table of one kind. What differs by nothing but a fact that changes nothing has no row.
func (p *truthPage) add(t *testing.T, table kindTable, all []scene, found map[string]outcome) {
	fmt.Fprintf(&p.text, "\n## %s\n\n", table.kind)
	for _, f := range table.facts[1:] {
		fmt.Fprintf(&p.text, "*%s*: %s. ", f.name, f.means)
	}
	fmt.Fprintf(&p.text, "Without a row of its own, it is as without that.\n\n")
	p.header(table.noun)
	plain := map[string]bool{}
	for _, f := range table.facts {
		for _, g := range table.groups(t, f.name, all, found) {
			key := fmt.Sprint(g.outcome, g.least, g.rest, g.empty)
			if f.name == "" {
				plain[key] = true
			} else if plain[key] {
				continue
			}
			p.row(g, table)
			example := scene{g.example(), f.name}
			status, _, _ := table.status(example)
			p.sample(t, table.kind, example.String(), status, g.outcome)
		}
	}
}

// groups of one fact, the good news first, then in the order of the words.
func (table kindTable) groups(t *testing.T, fact string, all []scene, found map[string]outcome) []group {
	byOutcome := map[outcome]*group{}
	for _, s := range all {
		if s.fact != fact {
			continue
		}
		o := found[s.String()]
		if byOutcome[o] == nil {
			byOutcome[o] = &group{fact: fact, outcome: o}
		}
		byOutcome[o].scenes = append(byOutcome[o].scenes, s)
	}
	var list []group
	for _, g := range byOutcome {
		g.collapse()
		table.lossless(t, *g, all)
		list = append(list, *g)
	}
	slices.SortFunc(list, compareGroups)
	return list
}

// collapse finds what the scenes have in common.
func (g *group) collapse() {
	in := map[string]bool{}
	for _, s := range g.scenes {
		for _, n := range s.names {
			in[n] = true
		}
		smaller := func(x scene) bool { return len(x.names) > 0 && len(x.names) < len(s.names) && within(x.names, s.names) }
		if len(s.names) == 0 {
			g.empty = true
		} else if !slices.ContainsFunc(g.scenes, smaller) {
			g.least = append(g.least, s.names)
		}
	}
	for _, l := range g.least {
		for _, n := range l {
			delete(in, n)
		}
	}
	g.rest = slices.SortedFunc(maps.Keys(in), byWord)
}

// lossless shows that a row says of exactly its scenes what it says.
func (table kindTable) lossless(t *testing.T, g group, all []scene) {
	t.Helper()
	allowed := slices.Concat(append(slices.Clone(g.least), g.rest)...)
	for _, s := range all {
		if s.fact != g.fact {
			continue
		}
		said := within(s.names, allowed) && slices.ContainsFunc(g.least, func(l []string) bool { return within(l, s.names) })
		said = said || g.empty && len(s.names) == 0
		is := slices.ContainsFunc(g.scenes, func(x scene) bool { return x.String() == s.String() })
		require.Equal(t, is, said, "%s: a row %v beside %v is not right about %s", table.kind, g.least, g.rest, s)
	}
}

func within(part, whole []string) bool {
	return !slices.ContainsFunc(part, func(n string) bool { return !slices.Contains(whole, n) })
}

func byWord(a, b string) int { return cmp.Compare(place(a), place(b)) }

func place(name string) int {
	return slices.IndexFunc(words, func(w word) bool { return w.name == name })
}

// compareGroups puts what is done first, then what has no part, and then follows the order of the words.
func compareGroups(a, b group) int {
	if done := b.outcome.kubectl == "returns"; done != (a.outcome.kubectl == "returns") {
		if done {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(a.worst(), b.worst()), cmp.Compare(len(a.example()), len(b.example())))
}

// worst is the place of the last word of the example; -1 if it has none.
func (g group) worst() int {
	if len(g.least) == 0 {
		return -1
	}
	example := g.example()
	return place(example[len(example)-1])
}

// example is the first and smallest scene.
func (g group) example() []string {
	if len(g.least) == 0 {
		return nil
	}
	return slices.MinFunc(g.least, func(a, b []string) int { return cmp.Compare(len(a), len(b)) })
}

// describeLeast is "older or missing", or "unhealthy with older or held".
func (g group) describeLeast(table kindTable) string {
	with := map[string][]string{} // what comes with it, by the worst word
	for _, l := range g.least {
		worst := l[len(l)-1]
		with[worst] = append(with[worst], l[:len(l)-1]...)
	}
	heads := map[string][]string{} // words, by what comes with them
	for _, worst := range slices.SortedFunc(maps.Keys(with), byWord) {
		others := table.listed(with[worst])
		heads[others] = append(heads[others], worst)
	}
	var parts []string
	for _, others := range slices.SortedFunc(maps.Keys(heads), func(a, b string) int { return byWord(heads[a][0], heads[b][0]) }) {
		part := table.listed(heads[others])
		if others != "" {
			part += " with " + others
		}
		parts = append(parts, part)
	}
	if g.empty {
		parts = append(parts, "there is none")
	}
	return strings.Join(parts, "; ")
}

// listed is "older or missing", or "anything but older", whichever is shorter.
func (table kindTable) listed(names []string) string {
	var left []string
	for _, w := range words {
		if !slices.Contains(names, w.name) && !slices.Contains(table.without, w.name) {
			left = append(left, w.name)
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case len(left) == 0:
		return "anything"
	case len(left) < min(5, len(names)):
		return "anything but " + alternatives(left)
	}
	return alternatives(names)
}

func alternatives(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// describeRest is what may be there besides.
func (g group) describeRest(table kindTable) string {
	all := slices.Concat(append(slices.Clone(g.least), g.rest)...)
	if s := table.listed(all); len(g.rest) > 0 && strings.HasPrefix(s, "anything") {
		return s
	}
	return table.listed(g.rest)
}

func (p *truthPage) header(noun string) {
	fmt.Fprintf(&p.text, "| the whole | %s: at least one is | and others may be | Ready | reason | beside it | observed | kstatus | kubectl wait | Argo CD |\n", noun)
	fmt.Fprintln(&p.text, strings.Repeat("|---", 10)+"|")
}

func (p *truthPage) row(g group, table kindTable) {
	o, observed := g.outcome, "behind"
	if o.observed {
		observed = "yes"
	}
	cells := []string{g.fact, g.describeLeast(table), g.describeRest(table), o.ready, "`" + o.reason + "`", o.beside, observed, o.kstatus, o.kubectl, o.argocd}
	p.line(cells...)
}

func (p *truthPage) line(cells ...string) {
	fmt.Fprintln(&p.text, strings.ReplaceAll("| "+strings.Join(cells, " | ")+" |", "|  |", "| |"))
}

// sample is one object in that state, for generation 2.
func (p *truthPage) sample(t *testing.T, kind, about string, status any, o outcome) {
	line, err := json.Marshal(map[string]any{
		"kind": kind, "about": strings.TrimPrefix(about, ", "), "status": status,
		"kstatus": o.kstatus, "kubectl": o.kubectl, "argocd": o.argocd,
	})
	require.NoError(t, err)
	fmt.Fprintln(&p.samples, string(line))
}

// addClusters is the table of the kind that has no parts.
func (p *truthPage) addClusters(t *testing.T, argo argoCD) {
	fmt.Fprint(&p.text, "\n## Cluster\n\n| the cluster | Ready | reason | beside it | observed | kstatus | kubectl wait | Argo CD |\n"+strings.Repeat("|---", 8)+"|\n")
	for _, c := range []struct {
		about string
		probe Probe
	}{
		{"answers", Probe{Version: "v1.36.3", NodesTotal: 3, NodesReady: 3, Readiness: readiness.State{Known: true, Ready: true}}},
		{"does not answer", Probe{Err: errors.New("dial tcp: timeout")}},
		{"refuses the credentials", Probe{Err: errors.New("401"), Reason: v1alpha1.ClusterNotReady}},
		{"does not answer, for less than the threshold", Probe{
			Err: errors.New("dial tcp: timeout"), Readiness: readiness.State{Known: true, Ready: true, Contradicted: t1}, Thresholds: readiness.Thresholds{Failure: readiness.DefaultThreshold},
		}},
		{"answers again, for less than the threshold", Probe{
			Readiness: readiness.State{Known: true, Contradicted: t1}, Thresholds: readiness.Thresholds{Success: readiness.DefaultThreshold},
		}},
	} {
		status, observed, conditions := clusterOf(c.probe)
		wellFormed(t, 2, observed, conditions)
		o := conclude(t, argo, "Cluster", status, observed, conditions)
		require.Equal(t, c.probe.Readiness.Ready, o.kubectl == "returns")
		p.line(c.about, o.ready, "`"+o.reason+"`", o.beside, "yes", o.kstatus, o.kubectl, o.argocd)
		p.sample(t, "Cluster", c.about, status, o)
	}
}

// check compares with what is committed, or rewrites it.
func (p *truthPage) check(t *testing.T) {
	var head strings.Builder
	head.WriteString(truthHead)
	for _, w := range words {
		fmt.Fprintf(&head, "| %s | %s |\n", w.name, w.means)
	}
	for name, text := range map[string]string{"../docs/reference/truth.md": head.String() + p.text.String(), "testdata/truth.jsonl": p.samples.String()} {
		golden.File(t, name, text, "go test ./status -run TestTruth -update")
	}
}

// defaultOf is the status that the definition of a kind gives to an object without one.
func defaultOf(t *testing.T, kind string) (status map[string]any) {
	crds, err := v1alpha1.CRDs()
	require.NoError(t, err)
	for _, crd := range crds {
		if crd.Spec.Names.Kind == kind {
			raw := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Default.Raw
			require.NoError(t, json.Unmarshal(raw, &status))
		}
	}
	require.NotEmpty(t, status, kind)
	return status
}

const truthHead = `# The truth table

What accord writes about every combination of what up to three clusters can be, and what other tools conclude from it. This page is made by a test
(` + "`go test ./status -run TestTruth -update`" + `) with the code that writes the status, kstatus (which Flux uses), the rule of ` + "`kubectl wait --for=condition=Ready`" + `,
and the [Argo CD health script](../../examples/argocd). The test fails when the page is stale; a second one asks the real kubectl on a real API server.
[status.md](../concepts/status.md) has the rules behind it.

How to read it:

- The spec is at generation 2, and all was done for generation 1. *observed* is "yes" when ` + "`status.observedGeneration`" + ` is 2, and "behind" when it stays 1. Every
  condition carries 2 in each row.
- One row stands for all combinations with at least one of the first words and, beside them, any of the others: order and number do not matter. "a with b" means at least
  one of each.
- *waits* and *returns* is ` + "`kubectl wait --for=condition=Ready`" + `.
- A cluster that is held and lost counts as held on a FederatedObject, because nothing is to be done there for it, and as unreachable on a Release: whether
  something else is to be done there is not known.
- Not in the table: a status of generation 2 is read as InProgress by all of them, and waited for, as soon as the spec is at generation 3. So is an object on which nobody has
  reported yet. A FederatedObject that was done for generation 2 once and is not any more keeps its observedGeneration; the rows are the same but for that, and that kstatus then calls
  ` + "`BuildFailed`" + ` Failed and Argo CD Degraded.

| word | of a cluster, or of an object on it |
|---|---|
`
