// Package observability_test holds the dashboard and the alert rules against the metrics that accord has, and evaluates
// the rules on samples.
package observability_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/internal/golden"
	"github.com/accord-dev/accord/reconciler/metrics"
)

// alert of rules.yaml.
type alert struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func alerts(t *testing.T) []alert {
	t.Helper()
	text, err := os.ReadFile("rules.yaml")
	require.NoError(t, err)
	var file struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		Metadata   map[string]any `json:"metadata"`
		Spec       struct {
			Groups []struct {
				Name  string  `json:"name"`
				Rules []alert `json:"rules"`
			} `json:"groups"`
		} `json:"spec"`
	}
	require.NoError(t, yaml.UnmarshalStrict(text, &file))
	require.Equal(t, "monitoring.coreos.com/v1 PrometheusRule", file.APIVersion+" "+file.Kind)
	require.Len(t, file.Spec.Groups, 1)
	return file.Spec.Groups[0].Rules
}

// labelsOf every series that accord serves: those of the metrics, and the ones that a histogram is made of.
func labelsOf() map[string][]string {
	all := map[string][]string{}
	for _, m := range metrics.All() {
		if m.Type != "histogram" {
			all[m.Name] = m.Labels
			continue
		}
		all[m.Name+"_bucket"] = append(slices.Clone(m.Labels), "le")
		all[m.Name+"_sum"], all[m.Name+"_count"] = m.Labels, m.Labels
	}
	return all
}

// check that an expression asks for nothing that accord does not have. It returns the labels that its result may have.
func check(t *testing.T, expr string) (labels []string) {
	t.Helper()
	tree, err := parse(expr)
	require.NoError(t, err)
	known := labelsOf()
	tree.walk(func(n *node) {
		switch n.op {
		case "selector":
			require.Contains(t, known, n.name, expr)
			for _, m := range n.matchers {
				require.Contains(t, known[n.name], m.label, expr)
			}
			labels = append(labels, known[n.name]...)
		case "call":
			if n.name == "increase" || n.name == "rate" {
				require.True(t, n.args[0].ranged, "%s of what is no range: %s", n.name, expr)
				require.Regexp(t, "_(total|bucket|sum|count)$", n.args[0].name, "%s of what does not count: %s", n.name, expr)
			}
		case "aggregate":
			below := map[string]bool{}
			n.args[0].walk(func(arg *node) {
				for _, l := range known[arg.name] {
					below[l] = true
				}
			})
			for _, l := range n.by {
				require.True(t, below[l], "%s is no label of what is folded: %s", l, expr)
			}
		}
	})
	return labels
}

func TestAlertsAskForWhatIsThere(t *testing.T) {
	all := alerts(t)
	require.Len(t, all, 9)
	mentioned := regexp.MustCompile(`\$labels\.([a-z]+)`)
	for _, a := range all {
		t.Run(a.Alert, func(t *testing.T) {
			labels := check(t, a.Expr)
			require.Regexp(t, `^Accord[A-Z][A-Za-z]+$`, a.Alert)
			require.Regexp(t, `^[0-9]+m$`, a.For)
			require.Contains(t, []string{"warning", "critical"}, a.Labels["severity"])
			require.NotEmpty(t, a.Annotations["summary"])
			require.NotEmpty(t, a.Annotations["description"])
			for _, text := range a.Annotations {
				for _, m := range mentioned.FindAllStringSubmatch(text, -1) {
					require.Contains(t, labels, m[1], text)
				}
			}
		})
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, a := range all {
		require.Contains(t, string(readme), "`"+a.Alert+"` | "+strings.TrimSuffix(a.For, "m")+" min |")
	}
}

func TestDashboardAsksForWhatIsThere(t *testing.T) {
	text, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	var board struct {
		Title      string `json:"title"`
		UID        string `json:"uid"`
		Templating struct {
			List []struct {
				Name       string `json:"name"`
				Type       string `json:"type"`
				Definition string `json:"definition"`
			} `json:"list"`
		} `json:"templating"`
		Panels []struct {
			ID      int    `json:"id"`
			Title   string `json:"title"`
			Targets []struct {
				Expr   string `json:"expr"`
				Legend string `json:"legendFormat"`
			} `json:"targets"`
		} `json:"panels"`
	}
	require.NoError(t, json.Unmarshal(text, &board))
	require.NotEmpty(t, board.UID)

	used, ids := map[string]bool{}, map[int]bool{}
	legend := regexp.MustCompile(`\{\{([a-z]+)\}\}`)
	for _, p := range board.Panels {
		require.False(t, ids[p.ID], "two panels have the number %d", p.ID)
		ids[p.ID] = true
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			labels := check(t, target.Expr)
			for _, m := range legend.FindAllStringSubmatch(target.Legend, -1) {
				require.Contains(t, labels, m[1], "%s: %s", p.Title, target.Legend)
			}
			for name := range labelsOf() {
				if strings.Contains(target.Expr, name) {
					used[name] = true
				}
			}
		}
	}
	require.Greater(t, len(used), 15, "the dashboard shows what there is")

	values := regexp.MustCompile(`^label_values\(([a-z_]+), ([a-z]+)\)$`)
	for _, v := range board.Templating.List {
		if v.Type == "query" {
			m := values.FindStringSubmatch(v.Definition)
			require.NotNil(t, m, v.Definition)
			require.Contains(t, labelsOf()[m[1]], m[2], v.Definition)
		}
	}
}

// TestAlerts evaluates all alerts on the samples of each case, as if what is there now had been there for long enough.
func TestAlerts(t *testing.T) {
	raised := map[string]bool{}
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		e := read(t, string(c.Part("samples")))
		var got []string
		for _, a := range alerts(t) {
			tree, err := parse(a.Expr)
			require.NoError(t, err)
			for _, p := range e.of(tree) {
				got = append(got, a.Alert+" "+key(p.labels)+"\n")
				raised[a.Alert] = true
			}
		}
		slices.Sort(got)
		c.Equal(t, "alerts", strings.Join(got, ""))
	})
	for _, a := range alerts(t) {
		require.True(t, raised[a.Alert], "no case raises %s", a.Alert)
	}
}

var line = regexp.MustCompile(`^([a-z_]+)(?:\{(.*)\})?((?: [0-9.]+)+)$`)

// read samples: "name{labels} value", "name{labels} before value" of a counter, and "now value".
func read(t *testing.T, text string) evaluation {
	t.Helper()
	var e evaluation
	known := labelsOf()
	for row := range strings.Lines(text) {
		parts := line.FindStringSubmatch(strings.TrimSpace(row))
		require.NotNil(t, parts, row)
		var numbers []float64
		for _, field := range strings.Fields(parts[3]) {
			n, err := strconv.ParseFloat(field, 64)
			require.NoError(t, err, row)
			numbers = append(numbers, n)
		}
		if parts[1] == "now" {
			e.now = numbers[0]
			continue
		}
		selector, err := parse(parts[1] + "{" + parts[2] + "}")
		require.NoError(t, err, row)
		s := sample{name: parts[1], labels: map[string]string{}, value: numbers[len(numbers)-1], was: numbers[0]}
		for _, m := range selector.matchers {
			s.labels[m.label] = m.value
			require.Contains(t, known[s.name], m.label, row)
		}
		require.Len(t, s.labels, len(known[s.name]), row)
		e.samples = append(e.samples, s)
	}
	return e
}

func TestExpressionsThatAreNone(t *testing.T) {
	for _, text := range []string{"", "sum(", "accord_x{a=b}", "accord_x{a==\"b\"}", "accord_x accord_y", "unknown(accord_x)", "accord_x ? 1", "accord_x{a=\"b\""} {
		_, err := parse(text)
		require.Error(t, err, text)
	}
}

func TestEvaluation(t *testing.T) {
	e := evaluation{now: 100, samples: []sample{
		{"a", map[string]string{"x": "1", "y": "1"}, 5, 3},
		{"a", map[string]string{"x": "1", "y": "2"}, 7, 7},
		{"a", map[string]string{"x": "2", "y": "1"}, 0, 0},
		{"b", map[string]string{"x": "1"}, 12, 12},
	}}
	for expr, want := range map[string][]string{
		`a == 5`:                             {`{x="1",y="1"} 5`},
		`sum by (x) (a)`:                     {`{x="1"} 12`, `{x="2"} 0`},
		`sum by (x) (a) == b`:                {`{x="1"} 12`},
		`count(a)`:                           {`{} 3`},
		`max by (x) (a{y=~"1|3"})`:           {`{x="1"} 5`, `{x="2"} 0`},
		`min(a{y!~"1|3"})`:                   {`{} 7`},
		`increase(a[1h]) > 1`:                {`{x="1",y="1"} 2`},
		`time() - b > 2 * 40 + 7`:            {`{x="1"} 88`},
		`time() - b > 2 * (40 + 7)`:          nil,
		`b or sum by (x) (a)`:                {`{x="1"} 12`, `{x="2"} 0`},
		`sum by (x) (a) unless b`:            {`{x="2"} 0`},
		`sum by (x) (a) and b`:               {`{x="1"} 12`},
		`a{x!="1"} == 0 or b == 1 or b < 13`: {`{x="1"} 12`, `{x="2",y="1"} 0`},
	} {
		tree, err := parse(expr)
		require.NoError(t, err)
		var got []string
		for _, p := range e.of(tree) {
			got = append(got, key(p.labels)+" "+strconv.FormatFloat(p.value, 'g', -1, 64))
		}
		slices.Sort(got)
		require.Equal(t, want, got, expr)
	}
}
