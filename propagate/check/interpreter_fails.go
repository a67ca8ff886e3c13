package check

import (
	"errors"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/propagate"
)

var interpreterFails = Check{
	Code:     "interpreter-fails",
	Severity: propagate.Error,
	Summary:  "a script of a ResourceInterpreterCustomization that fails for an object in Git",
	Why: "What the script should say of the object, its replicas, what they need or what it depends on, is then taken from what is built in for the kind, " +
		"which for a kind of your own is nothing. Scripts about live objects are not run here: a manifest has no status.",
	Fix: "Correct the line; an object may leave out what others have, and a missing table cannot be indexed. `accord interpret` runs the scripts on one object.",
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
          return obj.spec.strategy.replicas, nil   # and one has no spec.strategy
        end`,
	run: func(r *Review) []propagate.Finding {
		book, _ := r.plan.Interpreters()
		failures := map[failure][]*object{}
		for _, o := range r.objects {
			for _, err := range book.Check(o.manifest) {
				f := failureOf(o, err)
				failures[f] = append(failures[f], o)
			}
		}
		var found []propagate.Finding
		for f, objects := range failures { // Run sorts
			found = append(found, at(f.place, "", "%s (%s)", f.message, some(objects)))
		}
		return found
	},
}

// failure is what goes wrong with a script, and where.
type failure struct {
	place   manifest.Origin
	message string
}

// failureOf is what a script says of an object. Of a Secret it may repeat values: then it is only told that it fails.
func failureOf(o *object, err error) failure {
	f := failure{o.Origin, err.Error()}
	if mistake, ok := errors.AsType[*manifest.Error](err); ok {
		f = failure{mistake.Origin, mistake.Message}
	}
	if o.ID.IsSecret() {
		operation, _, _ := strings.Cut(f.message, ":")
		f.message = operation + ": fails"
	}
	return f
}
