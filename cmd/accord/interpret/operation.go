package interpret

import (
	"fmt"
	"strings"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// karmadas are the operations by the names that karmadactl interpret has for them.
var karmadas = map[string]policy.Operation{
	"Retain": policy.Retention, "InterpretReplica": policy.ReplicaResource, "InterpretComponent": policy.ComponentResource,
	"ReviseReplica": policy.ReplicaRevision, "InterpretStatus": policy.StatusReflection, "AggregateStatus": policy.StatusAggregation,
	"InterpretHealth": policy.HealthInterpretation, "InterpretDependency": policy.DependencyInterpretation,
}

// OperationNames returns the operations that Only accepts.
func OperationNames() []string {
	var all []string
	for _, o := range policy.Operations() {
		all = append(all, string(o))
	}
	return all
}

// Only limits Run to one operation, by its name, by that of its function, or by Karmada's name of it.
func (k *Rules) Only(name string) error {
	for _, o := range policy.Operations() {
		if name == string(o) || name == o.Function() {
			k.only = o
			return nil
		}
	}
	known, ok := karmadas[name]
	if !ok {
		return fmt.Errorf("--operation %q: expected one of %s%s", name, strings.Join(OperationNames(), ", "), manifest.DidYouMean(name, OperationNames()))
	}
	k.only = known
	return nil
}

// runs reports whether Run includes an operation.
func (k *Rules) runs(o policy.Operation) bool { return k.only == "" || k.only == o }
