package stage

import "github.com/accord-dev/accord/api/policy"

// Questions returns the requirements of a gate beyond health: "condition <type>" for each of conditions, "job
// <namespace>/<name>", "cel". They do not apply to a cluster from which every object of the rollout is removed.
func Questions(g policy.RolloutGate) []Question {
	if len(g.Conditions) == 0 && g.Job == nil && g.CEL == "" {
		return nil
	}
	var all []Question
	for _, c := range g.Conditions {
		all = append(all, Question("condition "+c))
	}
	if g.Job != nil {
		all = append(all, Question("job "+g.Job.Namespace+"/"+g.Job.Name))
	}
	if g.CEL != "" {
		all = append(all, "cel")
	}
	return all
}
