package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/internal/phrase"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
)

var rolloutStages = Check{
	Code:     "rollout-stages",
	Severity: propagate.Error,
	Summary:  "a RolloutPolicy whose stages do not contain each cluster exactly once",
	Why: "A cluster of the rollout in no stage never gets a change; for a cluster in two stages the order is ambiguous. accord holds " +
		"such a cluster, and the rollout never completes. A stage that names clusters and has none of them proves nothing: accord " +
		"pauses the rollout there. A gate with an invalid CEL expression never opens. The finding is a warning if a stage without " +
		"`clusterNames` has no cluster, if `first` names a cluster that is not in the stage, or if the policy claims no object: " +
		"clusters or objects may follow later.",
	Fix: "Let the last stage select all other clusters, with an `exclude` for each cluster of the earlier stages or a label that " +
		"every cluster has. `accord plan` shows the stage of each cluster.",
	Example: `
stages:
- name: canary
  clusterAffinity: {clusterNames: [eu-1]}
- name: world            # without an affinity it is every cluster, eu-1 among them`,
	run: func(r *Review) []propagate.Finding {
		claims := stage.NewPolicyIndex(r.in.Rollouts)
		targets := map[string][]string{} // clusters by the title of the policy
		claimed := map[string]bool{}
		for _, o := range r.objects {
			p := claims.PolicyFor(o.ID, o.manifest)
			if p == nil || o.Policy == nil {
				continue
			}
			claimed[p.Title()] = true
			for _, c := range o.Chosen {
				if c.RequiredBy == nil { // otherwise it is staged with the objects that need it
					targets[p.Title()] = append(targets[p.Title()], c.Cluster)
				}
			}
		}
		var findings []propagate.Finding
		for i := range r.in.Rollouts {
			p := &r.in.Rollouts[i]
			findings = append(findings, r.course(p, targets[p.Title()], claimed[p.Title()])...)
		}
		return findings
	},
}

// course returns the findings about one policy.
func (r *Review) course(p *policy.Rollout, targets []string, claims bool) []propagate.Finding {
	findings := invalidCEL(p)
	if !claims {
		f := at(p.At("spec.resourceSelectors"), r.hint(p.Spec.ResourceSelectors), "%s claims no object", p.Title())
		f.Severity = propagate.Warning
		return append(findings, f)
	}
	if len(r.fleet) == 0 {
		return findings
	}
	course := stage.NewSequence(p, r.fleet, targets)
	findings = append(findings, faults(course)...)
	for i, s := range course.Stages {
		field := fmt.Sprintf("spec.stages[%d]", i)
		disputed := slices.ContainsFunc(course.Faults, func(f stage.Fault) bool { return slices.Contains(f.Stages, s.Name) })
		if s.Astray != "" && !disputed {
			findings = append(findings, at(p.At(field), "name a cluster that gets the rollout, or remove the stage",
				"%s: stage %s has none of its clusters: %s", p.Title(), s.Name, s.Astray))
			continue
		}
		if len(s.Clusters) == 0 && !disputed {
			f := at(p.At(field), "", "%s: stage %s has no cluster that an object of the rollout goes to", p.Title(), s.Name)
			f.Severity = propagate.Warning
			findings = append(findings, f)
			continue
		}
		findings = append(findings, notInStage(p, s, field)...)
	}
	return findings
}

// faults returns the findings about clusters that are not in exactly one stage, one for all clusters with the same
// stages.
func faults(course stage.Sequence) []propagate.Finding {
	clusters, first := map[string][]string{}, map[string]stage.Fault{}
	for _, f := range course.Faults {
		in := strings.Join(f.Stages, ", ")
		if _, known := first[in]; !known {
			first[in] = f
		}
		clusters[in] = append(clusters[in], f.Cluster)
	}
	var findings []propagate.Finding
	for _, in := range slices.Sorted(maps.Keys(clusters)) {
		verb := "are"
		if len(clusters[in]) == 1 {
			verb = "is"
		}
		where, fix := "in no stage", "add a stage that selects all other clusters"
		if in != "" {
			where, fix = "in several stages: "+in, "exclude it from all but one of them"
		}
		findings = append(findings, at(first[in].At, fix, "%s: %s %s %s", course.Policy.Title(), phrase.And(clusters[in], named), verb, where))
	}
	return findings
}

// notInStage returns the findings about ordered clusters that are not in the stage.
func notInStage(p *policy.Rollout, s stage.Stage, field string) []propagate.Finding {
	var findings []propagate.Finding
	for i, name := range s.First {
		if slices.Contains(s.Clusters, name) {
			continue
		}
		fix := ""
		if near := manifest.Nearest(name, s.Clusters); near != "" {
			fix = fmt.Sprintf("write %q", near)
		}
		f := at(p.At(fmt.Sprintf("%s.first[%d]", field, i)), fix, "%s: first names %q, which is not in stage %s", p.Title(), name, s.Name)
		f.Severity = propagate.Warning
		findings = append(findings, f)
	}
	return findings
}

// invalidCEL returns the findings about invalid CEL expressions.
func invalidCEL(p *policy.Rollout) []propagate.Finding {
	var findings []propagate.Finding
	for i, s := range p.Spec.Stages {
		if s.Gate.CEL == "" {
			continue
		}
		field := fmt.Sprintf("spec.stages[%d].gate.cel", i)
		if _, err := stage.Compile(s.Gate.CEL); err != nil {
			findings = append(findings, at(p.At(field), "", "%s: %s is invalid: %s", p.Title(), field, err))
		}
	}
	return findings
}
