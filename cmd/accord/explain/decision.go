package explain

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/render/override"
)

// A whyCluster is what becomes of the object on one cluster.
type decision struct {
	Cluster string `json:"cluster"`
	Chosen  bool   `json:"chosen"`
	// Replicas, Completions and Share, which is how they came about, are of a chosen cluster.
	Replicas    *int32 `json:"replicas,omitempty"`
	Completions *int32 `json:"completions,omitempty"`
	Share       string `json:"share,omitempty"`
	// RequiredBy is the object that it goes there for; Implied is a Namespace that goes there because an object in it does.
	RequiredBy string `json:"requiredBy,omitempty"`
	Implied    bool   `json:"implied,omitempty"`
	// Held is why hands are off there.
	Held      string         `json:"held,omitempty"`
	Overrides []overrideStep `json:"overrides,omitempty"`
	// Error is why it cannot be rendered there.
	Error string `json:"error,omitempty"`
	// Why, At and Fit are of a refused cluster: the rule, the field, and what would make it fit.
	Why string `json:"why,omitempty"`
	At  string `json:"at,omitempty"`
	Fit string `json:"fit,omitempty"`
}

// A whyStep is what one entry of an override did to one field.
type overrideStep struct {
	Policy    string `json:"policy"`
	Field     string `json:"field"`
	At        string `json:"at"`
	Operation string `json:"operation"`
	Path      string `json:"path,omitempty"`
	Changed   bool   `json:"changed"`
	// Before and After are absent when they are secret.
	Before any      `json:"before,omitempty"`
	After  any      `json:"after,omitempty"`
	Secret bool     `json:"secret,omitempty"`
	Lost   []string `json:"lost,omitempty"`
}

func chosenCluster(p *load.PlannedTree, d *propagate.Decision, c propagate.Choice, share string) decision {
	w := decision{
		Cluster: c.Cluster, Chosen: true, Replicas: c.Replicas, Completions: c.Completions, Implied: c.Implied, Held: p.Held(c),
	}
	if c.Replicas != nil {
		w.Share = share
	}
	if c.RequiredBy != nil {
		w.RequiredBy = c.RequiredBy.String()
	}
	steps, err := p.Trace(d.ID, c.Cluster)
	for _, s := range steps {
		w.Overrides = append(w.Overrides, newOverrideStep(d.ID, s))
	}
	if err != nil {
		w.Error = err.Error()
	}
	return w
}

// newOverrideStep leaves values out that may be secret: everything about a Secret, whatever the field.
func newOverrideStep(id manifest.ID, s override.Step) overrideStep {
	step := overrideStep{
		Policy: s.Policy, Field: s.Field, At: s.At.String(), Operation: s.Operation, Path: s.Path, Changed: s.Changed, Lost: s.Lost,
		Before: s.Before, After: s.After,
	}
	if id.IsSecret() {
		step.Secret, step.Before, step.After = true, nil, nil
	}
	return step
}

func refusedCluster(p *load.PlannedTree, d *propagate.Decision, r propagate.Refusal) decision {
	return decision{Cluster: r.Cluster, Why: r.Why, At: r.At.String(), Fit: suggestion(p, d, r)}
}
