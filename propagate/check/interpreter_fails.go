package check

import (
	"errors"
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var interpreterFails = Check{
	Code:     "interpreter-fails",
	Severity: propagate.Error,
	Summary:  "a script of a ResourceInterpreterCustomization that fails for an object in Git",
	Why: "accord then uses its built-in rules for the replicas, requirements or dependencies of the object. For your own kinds there " +
		"are none. A script that returns a text, a fraction or a negative number of replicas, or a request that is no quantity, is an " +
		"`invalid` object, and accord makes no plan. Scripts for live objects do not run here, because a manifest has no status.",
	Fix: "Correct the line. An object may omit optional fields, and a script must not index a missing table. `accord interpret` runs " +
		"the scripts on one object.",
	Example: `
apiVersion: config.karmada.io/v1alpha1
kind: ResourceInterpreterCustomization
metadata: {name: rollout}
spec:
  target: {apiVersion: example.io/v1, kind: Rollout}
  customizations:
    replicaResource:
      luaScript: |
        function GetReplicas(obj)
          return obj.spec.strategy.replicas, nil   -- and one has no spec.strategy
        end`,
	reads: func(r *Review, o *object) string { return fmt.Sprint(r.failures(o)) },
	run: func(r *Review) []propagate.Finding {
		failures := map[failure][]*object{}
		for _, o := range r.objects {
			for _, f := range r.failures(o) {
				failures[f] = append(failures[f], o)
			}
		}
		var findings []propagate.Finding
		for f, objects := range failures { // Run sorts
			findings = append(findings, at(f.place, "", "%s (%s)", f.message, some(objects)))
		}
		return findings
	},
}

// failure is the error of a script, with its place.
type failure struct {
	place   manifest.Origin
	message string
}

// failures returns the failures of all scripts for an object.
func (r *Review) failures(o *object) []failure {
	book := r.plan.Interpreters().Book
	if !book.Customizes(o.ID.GroupKind()) {
		return nil
	}
	var all []failure
	for _, err := range book.Check(o.manifest.Get()) {
		all = append(all, failureOf(o, err))
	}
	return all
}

// failureOf returns the failure of a script for an object.
func failureOf(o *object, err error) failure {
	if mistake, ok := errors.AsType[*manifest.Error](err); ok {
		return failure{mistake.Origin, mistake.Message}
	}
	return failure{o.Origin, err.Error()}
}
