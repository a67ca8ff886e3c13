package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/stage"
)

var rolloutStages = Check{
	Code:     "rollout-stages",
	Severity: propagate.Error,
	Summary:  "a RolloutPolicy whose stages do not have each cluster exactly once",
	Why: "A cluster that objects of the rollout go to and that is in no stage would never get a change; in two, nobody could say when. Such a cluster is " +
		"held, and the rollout is never complete. A gate whose CEL expression cannot be read would never open. It is a warning when a stage has no cluster, when `order` " +
		"names a cluster that is not in the stage, and when the policy claims no object: it may be meant for clusters or objects to come.",
	Fix: "Let the last stage take what is left, with an `exclude` for each cluster of the others or a label that every cluster has. `accord plan` shows who is where.",
	Example: `
stages:
- name: canary
  clusterAffinity: {clusterNames: [eu-1]}
- name: world            # without an affinity it is every cluster, eu-1 among them`,
	run: func(r *Review) []propagate.Finding {
		claims := stage.NewClaims(r.in.Rollouts)
		targets := map[string][]string{} // clusters by the title of the policy
		claimed := map[string]bool{}
		for _, o := range r.objects {
			p := claims.Of(o.manifest)
			if p == nil || o.Policy == nil {
				continue
			}
			claimed[p.Title()] = true
			for _, c := range o.Chosen {
				if c.RequiredBy == nil { // else it travels with what needs it
					targets[p.Title()] = append(targets[p.Title()], c.Cluster)
				}
			}
		}
		var found []propagate.Finding
		for i := range r.in.Rollouts {
			p := &r.in.Rollouts[i]
			found = append(found, r.course(p, targets[p.Title()], claimed[p.Title()])...)
		}
		return found
	},
}

// course is what is wrong with one policy.
func (r *Review) course(p *policy.Rollout, targets []string, claims bool) []propagate.Finding {
	found := unreadable(p)
	if !claims {
		f := at(p.At("spec.resourceSelectors"), r.hint(p.Spec.ResourceSelectors), "%s claims no object", p.Title())
		f.Severity = propagate.Warning
		return append(found, f)
	}
	if len(r.fleet) == 0 {
		return found
	}
	course := stage.Chart(p, r.fleet, targets)
	found = append(found, faults(course)...)
	for i, s := range course.Stages {
		field := fmt.Sprintf("spec.stages[%d]", i)
		disputed := slices.ContainsFunc(course.Faults, func(f stage.Fault) bool { return slices.Contains(f.Stages, s.Name) })
		if len(s.Clusters) == 0 && !disputed {
			f := at(p.At(field), "", "%s: stage %s has no cluster that an object of the rollout goes to", p.Title(), s.Name)
			f.Severity = propagate.Warning
			found = append(found, f)
			continue
		}
		found = append(found, strangers(p, s, field)...)
	}
	return found
}

// faults are the clusters that are not in exactly one stage, one finding for all that are so in the same way.
func faults(course stage.Course) []propagate.Finding {
	clusters, first := map[string][]string{}, map[string]stage.Fault{}
	for _, f := range course.Faults {
		in := strings.Join(f.Stages, ", ")
		if _, known := first[in]; !known {
			first[in] = f
		}
		clusters[in] = append(clusters[in], f.Cluster)
	}
	var found []propagate.Finding
	for _, in := range slices.Sorted(maps.Keys(clusters)) {
		verb := "are"
		if len(clusters[in]) == 1 {
			verb = "is"
		}
		where, fix := "in no stage", "add a stage that selects what is left"
		if in != "" {
			where, fix = "in several stages: "+in, "exclude it from all but one of them"
		}
		found = append(found, at(first[in].At, fix, "%s: %s %s %s", course.Policy.Title(), list(clusters[in]), verb, where))
	}
	return found
}

// strangers are names in the order of a stage that are not in the stage.
func strangers(p *policy.Rollout, s stage.Stage, field string) []propagate.Finding {
	var found []propagate.Finding
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
		found = append(found, f)
	}
	return found
}

// unreadable are the CEL expressions that cannot be read.
func unreadable(p *policy.Rollout) []propagate.Finding {
	var found []propagate.Finding
	for i, s := range p.Spec.Stages {
		if s.Gate.CEL == "" {
			continue
		}
		field := fmt.Sprintf("spec.stages[%d].gate.cel", i)
		if _, err := stage.Compile(s.Gate.CEL); err != nil {
			found = append(found, at(p.At(field), "", "%s: %s cannot be read: %s", p.Title(), field, err))
		}
	}
	return found
}
