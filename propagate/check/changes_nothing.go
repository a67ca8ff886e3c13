package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/propagate"
	"github.com/accord-dev/accord/propagate/check/podspec"
	"github.com/accord-dev/accord/propagate/decision"
)

var changesNothing = Check{
	Code:     "changes-nothing",
	Severity: propagate.Warning,
	Summary:  "an override, or an entry of one, that changes no object on any cluster",
	Why: "The override selects objects and changes none of them: it targets clusters that the objects do not go to, names a " +
		"container that does not exist, or finds nothing to change in the kind. The finding is a note if the manifest already has " +
		"the value, or if the fleet has no such cluster yet.",
	Fix: "Correct the entry or remove it. `imageOverrider` without a `predicate` finds the images of Pods, ReplicaSets, Deployments, " +
		"DaemonSets, StatefulSets and Jobs. For other kinds set the path in `predicate`.",
	Example: `
kind: OverridePolicy
metadata: {name: nightly, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: batch/v1, kind: CronJob, name: nightly}]
  overrideRules:
  - overriders:
      imageOverrider: [{component: Registry, operator: replace, value: mirror.example.com}]`,
	rendered: true,
	run: func(r *Review) []propagate.Finding {
		var findings []propagate.Finding
		for _, a := range r.applied() {
			placed := those(a.selected, func(o *object) bool { return len(o.Chosen) > 0 })
			off := slices.ContainsFunc(r.in.Recoveries, func(p policy.Recovery) bool { return p.Spec.SwitchesOff(a.override.Title()) })
			if len(placed) == 0 || a.failed || off {
				continue
			}
			for i := range a.override.Spec.OverrideRules {
				findings = append(findings, r.idleRule(a, i, placed)...)
			}
		}
		return findings
	},
}

// idleRule returns the findings about one rule: none of its objects goes to its clusters, or some entries change
// nothing.
func (r *Review) idleRule(a *applied, rule int, placed []*object) []propagate.Finding {
	o := a.override
	field := fmt.Sprintf("spec.overrideRules[%d]", rule)
	hit := r.targeted(o.Spec.OverrideRules[rule])
	if len(hit) == 0 {
		return r.untargeted(o, rule)
	}
	there := those(placed, func(it *object) bool {
		return slices.ContainsFunc(it.Chosen, func(c decision.Choice) bool { return hit[c.Cluster] })
	})
	if len(there) == 0 {
		return one(o.At(field+".targetCluster"), "", "%s: %s changes nothing: none of its objects goes to a cluster that it targets", o.Title(), field)
	}
	var findings []propagate.Finding
	eachOverrider(o, func(e overrider) {
		if e.rule == rule && !a.changed[e.field] {
			f := idle(e, there)
			f.At, f.Message = o.At(e.field), fmt.Sprintf("%s: %s changes nothing: %s", o.Title(), e.field, f.Message)
			findings = append(findings, f)
		}
	})
	return findings
}

// untargeted reports a rule that matches no cluster, as a note: the cluster may join later. unknown-cluster reports unknown
// names.
func (r *Review) untargeted(o *policy.Override, rule int) []propagate.Finding {
	if r.namesUnknownCluster(*o.Spec.OverrideRules[rule].TargetCluster) {
		return nil
	}
	field := fmt.Sprintf("spec.overrideRules[%d]", rule)
	f := at(o.At(field+".targetCluster"), "", "%s: %s changes nothing: its targetCluster matches no cluster of the fleet", o.Title(), field)
	f.Severity = propagate.Note
	return []propagate.Finding{f}
}

// targeted returns the clusters that a rule targets.
func (r *Review) targeted(rule policy.OverrideRule) map[string]bool {
	hit := map[string]bool{}
	for _, c := range r.fleet {
		if rule.TargetCluster == nil || matches(c, *rule.TargetCluster) {
			hit[c.Name] = true
		}
	}
	return hit
}

// idle returns the reason why an entry changes none of the objects, and a fix. It is a note if the objects already have
// the value.
func idle(e overrider, objects []*object) propagate.Finding {
	nowhere := manifest.Origin{}
	switch {
	case e.words != nil && !slices.Contains(containerNames(objects), e.words.ContainerName):
		fix := ""
		if near := manifest.Nearest(e.words.ContainerName, containerNames(objects)); near != "" {
			fix = fmt.Sprintf("write %q", near)
		}
		return at(nowhere, fix, "%s has no container %q", some(objects), e.words.ContainerName)
	case e.image != nil && e.image.Predicate == nil && without(objects) != "":
		return at(nowhere, "give the path of the image in predicate.path", "without a predicate imageOverrider finds no images in %s", without(objects))
	case e.metadata != nil && e.metadata.Operator != "add":
		return at(nowhere, "", "%s has none of these keys", some(objects))
	}
	f := at(nowhere, "", "%s already has the value, from its manifest or another override", some(objects))
	f.Severity = propagate.Note
	return f
}

// without returns the kinds of the objects if none has containers that an overrider finds; empty otherwise.
func without(objects []*object) string {
	var kinds []string
	for _, o := range objects {
		if len(podspec.Containers(o.manifest.Get(), "containers")) > 0 {
			return ""
		}
		if !slices.Contains(kinds, o.ID.Kind) {
			kinds = append(kinds, o.ID.Kind)
		}
	}
	return strings.Join(kinds, ", ")
}

func containerNames(objects []*object) []string {
	var names []string
	for _, o := range objects {
		for _, c := range podspec.Containers(o.manifest.Get(), "containers") {
			names = append(names, c.Name)
		}
	}
	return names
}
