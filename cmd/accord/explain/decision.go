package explain

import (
	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/cmd/accord/load"
	"github.com/accord-dev/accord/propagate/decision"
	"github.com/accord-dev/accord/render/override"
)

// Decision is the decision about one object for one cluster.
type Decision struct {
	Cluster string `json:"cluster"`
	Chosen  bool   `json:"chosen"`
	// Replicas, Completions and Share, which explains them, are set for a chosen cluster.
	Replicas    *int32 `json:"replicas,omitempty"`
	Completions *int32 `json:"completions,omitempty"`
	Share       string `json:"share,omitempty"`
	// RequiredBy is the object that depends on this one. Implied is true for a Namespace that goes to the cluster because of an
	// object in it.
	RequiredBy string `json:"requiredBy,omitempty"`
	Implied    bool   `json:"implied,omitempty"`
	// Held is the reason why the object is held.
	Held      string         `json:"held,omitempty"`
	Overrides []overrideStep `json:"overrides,omitempty"`
	// Error is the reason why it cannot be rendered.
	Error string `json:"error,omitempty"`
	// Why, At and Fit are set for a refused cluster: the rule, the field, and a change that would make the cluster fit.
	Why string `json:"why,omitempty"`
	At  string `json:"at,omitempty"`
	Fit string `json:"fit,omitempty"`
}

// overrideStep is the effect of one overrider on one field.
type overrideStep struct {
	Policy    string `json:"policy"`
	Field     string `json:"field"`
	At        string `json:"at"`
	Operation string `json:"operation"`
	Path      string `json:"path,omitempty"`
	Changed   bool   `json:"changed"`
	// Before and After are absent if they are secret.
	Before any      `json:"before,omitempty"`
	After  any      `json:"after,omitempty"`
	Secret bool     `json:"secret,omitempty"`
	Lost   []string `json:"lost,omitempty"`
}

func chosenCluster(p *load.PlannedTree, d *decision.Decision, c decision.Choice, share string) Decision {
	w := Decision{
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

// newOverrideStep leaves out all values of a Secret, whatever the field.
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

func refusedCluster(p *load.PlannedTree, d *decision.Decision, r decision.Refusal) Decision {
	return Decision{Cluster: r.Cluster, Why: r.Why, At: r.At.String(), Fit: suggestion(p, d, r)}
}
