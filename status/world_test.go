package status

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/kind"
)

var (
	t0 = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	t1 = t0.Add(time.Minute)

	deployment = schema.GroupKind{Group: "apps", Kind: "Deployment"}
	web        = manifest.ID{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
)

// states are all that a cell can be, by name. Want is "new" wherever it can be rendered.
var states = map[string]Cell{
	"healthy":                  {Want: "new", Report: report("new", 2, 2, kind.Healthy)},
	"progressing":              {Want: "new", Report: report("new", 2, 2, kind.Progressing)},
	"failed":                   {Want: "new", Report: report("new", 2, 2, kind.Failed)},
	"unknown":                  {Want: "new", Report: report("new", 2, 2, kind.Unknown)},
	"unobserved":               {Want: "new", Report: report("new", 3, 2, kind.Healthy)},
	"older":                    {Want: "new", Report: report("old", 2, 2, kind.Healthy)},
	"missing":                  {Want: "new"},
	"refused":                  {Want: "new", Error: "quota", Report: report("old", 2, 2, kind.Healthy)},
	"mutated":                  {Want: "new", Mutated: "spec.replicas: 2 became 1", MutationFails: true, Report: report("new", 2, 2, kind.Healthy)},
	"unrenderable":             {Error: "no such path", Report: report("old", 2, 2, kind.Healthy)},
	"held":                     {Want: "new", Held: "suspended", Report: report("old", 2, 2, kind.Healthy)},
	"held and current":         {Want: "new", Held: "suspended", Report: report("new", 2, 2, kind.Healthy)},
	"held and missing":         {Want: "new", Held: "suspended"},
	"unreachable":              {Want: "new", Unreachable: "no answer", Report: report("new", 2, 2, kind.Healthy)},
	"unrenderable unreachable": {Error: "no such path", Unreachable: "no answer"},
	"held unreachable":         {Want: "new", Held: "suspended", Unreachable: "no answer", Report: report("new", 2, 2, kind.Healthy)},
}

// current are the states in which a cell is done.
var current = map[string]bool{"healthy": true, "held and current": true}

// stalls reports whether no retry helps: the object cannot be rendered, or the cluster changes it.
func stalls(name string) bool { return states[name].Want == "" || states[name].Mutated != "" }

func report(digest string, generation, observed int64, h kind.Health) *Report {
	return &Report{
		Digest: digest, Generation: generation, ObservedGeneration: observed, Observes: true, Health: h,
		Message: "1 of 2 available", Status: Reflect(map[string]any{"replicas": int64(2), "updatedReplicas": int64(2)}),
	}
}

// cells makes one cell for each named state, on clusters c0, c1, ...
func cells(names ...string) []Cell {
	var out []Cell
	for i, n := range names {
		c := states[n]
		c.Object, c.Cluster = web, fmt.Sprint("c", i)
		out = append(out, c)
	}
	return out
}

// objects makes one cell for each named state, all on one cluster.
func objects(names ...string) []Cell {
	out := cells(names...)
	for i := range out {
		out[i].Cluster = "east"
		out[i].Object.Name = fmt.Sprint("web", i)
	}
	return out
}

// combinations calls f with every sequence of 1 to n names.
func combinations(n int, f func(names []string)) {
	var extend func(prefix []string)
	extend = func(prefix []string) {
		if len(prefix) > 0 {
			f(prefix)
		}
		if len(prefix) == n {
			return
		}
		for name := range states {
			extend(append(prefix[:len(prefix):len(prefix)], name))
		}
	}
	extend(nil)
}
