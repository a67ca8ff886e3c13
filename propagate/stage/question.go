package stage

import "github.com/accord-dev/accord/api/policy"

// Questions are what a gate asks of each cluster beyond health: "condition <type>" for each of conditions, "job
// <namespace>/<name>", "cel". A cluster from which everything of the rollout is removed is asked nothing.
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
