package policy

import "fmt"

// Operation is one thing that can be known about a kind, by the name of its field in a Customization (Karmada §7.1).
type Operation string

// The operations.
const (
	Retention                Operation = "retention"
	ReplicaResource          Operation = "replicaResource"
	ComponentResource        Operation = "componentResource"
	ReplicaRevision          Operation = "replicaRevision"
	StatusReflection         Operation = "statusReflection"
	StatusAggregation        Operation = "statusAggregation"
	HealthInterpretation     Operation = "healthInterpretation"
	DependencyInterpretation Operation = "dependencyInterpretation"
)

// Operations are all of them, in the order in which people read them.
func Operations() []Operation {
	return []Operation{
		Retention, ReplicaResource, ComponentResource, ReplicaRevision,
		StatusReflection, StatusAggregation, HealthInterpretation, DependencyInterpretation,
	}
}

// Function is the name of the Lua function that a script of the operation defines; empty for no operation.
func (o Operation) Function() string {
	switch o {
	case Retention:
		return "Retain"
	case ReplicaResource:
		return "GetReplicas"
	case ComponentResource:
		return "GetComponents"
	case ReplicaRevision:
		return "ReviseReplica"
	case StatusReflection:
		return "ReflectStatus"
	case StatusAggregation:
		return "AggregateStatus"
	case HealthInterpretation:
		return "InterpretHealth"
	case DependencyInterpretation:
		return "GetDependencies"
	}
	return ""
}

// field is where the script of the operation is written.
func (o Operation) field() string { return "spec.customizations." + string(o) + ".luaScript" }

// line is the path of a line of the script, 1-based, as if the script were a list of lines.
func (o Operation) line(n int) string { return fmt.Sprintf("%s[%d]", o.field(), n) }
