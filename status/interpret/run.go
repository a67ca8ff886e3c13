package interpret

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/status/kind"
)

// Samples are the objects with which the scripts of a customization are tried.
type Samples struct {
	// Desired is a template; Observed replaces it if there is none.
	Desired *unstructured.Unstructured
	// Observed is a live object.
	Observed *unstructured.Unstructured
	// Replicas is the argument of ReviseReplica.
	Replicas int32
	// Items is the argument of AggregateStatus: {clusterName, status, current, applied, appliedMessage, health} of each
	// cluster.
	Items []map[string]any
}

// Outcome is the result of a script for the samples: a value, an error or the samples that are missing.
type Outcome struct {
	Operation policy.Operation
	// Result is a JSON value.
	Result any
	// Err is a *manifest.Error with the line of the script.
	Err error
	// Missing describes the samples without which the script was not run; empty when it was run.
	Missing string
}

// String returns the outcome for people.
func (o Outcome) String() string {
	switch {
	case o.Missing != "":
		return fmt.Sprintf("%s: not run, it needs %s", o.Operation, o.Missing)
	case o.Err != nil:
		return o.Err.Error()
	}
	encoded, err := yaml.Marshal(o.Result)
	if err != nil {
		return fmt.Sprintf("%s: %v", o.Operation, err)
	}
	text := strings.TrimSuffix(string(encoded), "\n")
	if _, scalar := o.Result.(bool); scalar {
		return fmt.Sprintf("%s: %s", o.Operation, text)
	}
	return fmt.Sprintf("%s:\n  %s", o.Operation, strings.ReplaceAll(text, "\n", "\n  "))
}

// Run runs every script of a customization, in the order of policy.Operations.
func Run(c policy.Customization, in Samples) []Outcome {
	if in.Desired == nil {
		in.Desired = in.Observed
	}
	lib := newLibrary()
	var outcomes []Outcome
	for _, op := range policy.Operations() {
		if c.Script(op) == "" {
			continue
		}
		o := Outcome{Operation: op, Missing: in.missing(op)}
		s, err := compile(&c, op, lib)
		switch {
		case err != nil:
			o.Err, o.Missing = err, ""
		case o.Missing == "":
			if o.Result, o.Err = s.try(in); o.Err != nil {
				o.Result = nil
			}
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

// missing returns the samples that an operation needs and that are absent.
func (in Samples) missing(op policy.Operation) string {
	switch op {
	case policy.Retention:
		if in.Desired == nil || in.Observed == nil {
			return "a template and a live object"
		}
	case policy.StatusReflection, policy.HealthInterpretation:
		if in.Observed == nil {
			return "a live object"
		}
	default:
		if in.Desired == nil {
			return "an object"
		}
	}
	return ""
}

// try runs a script and returns its result as a JSON value.
func (s *script) try(in Samples) (any, error) {
	switch s.op {
	case policy.Retention:
		return s.retain(in.Desired, in.Observed)
	case policy.ReplicaResource:
		w, err := s.replicas(in.Desired)
		result := map[string]any{"replicas": w.replicas}
		if w.needs != nil {
			result["requirements"] = w.needs
		}
		return result, err
	case policy.ComponentResource:
		components, err := s.components(in.Desired)
		list := make([]any, 0, len(components))
		for _, c := range components {
			list = append(list, c.json())
		}
		return list, err
	case policy.ReplicaRevision:
		return s.revise(in.Desired, in.Replicas)
	case policy.StatusReflection:
		return s.reflect(in.Observed)
	case policy.StatusAggregation:
		items := make([]any, len(in.Items))
		for i, item := range in.Items {
			items[i] = item
		}
		return s.aggregate(in.Desired, items)
	case policy.HealthInterpretation:
		v, err := s.interpretHealth(in.Observed)
		if err != nil || v.boolean {
			return v.health == kind.Healthy, err
		}
		return map[string]any{"health": string(v.health), "message": v.message}, nil
	default:
		return s.tryDependencies(in.Desired)
	}
}

func (s *script) tryDependencies(u *unstructured.Unstructured) (any, error) {
	refs, err := s.dependencies(u)
	list := make([]any, 0, len(refs))
	for _, ref := range union(refs) {
		entry := map[string]any{}
		for field, text := range map[string]string{"group": ref.Group, "kind": ref.Kind, "namespace": ref.Namespace, "name": ref.Name} {
			if text != "" {
				entry[field] = text
			}
		}
		if len(ref.Labels) > 0 {
			entry["labels"] = ref.Labels
		}
		list = append(list, entry)
	}
	return list, err
}
