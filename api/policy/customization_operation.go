package policy

import "fmt"

// Operation is one interpretation of a kind; its name is the field in a Customization (Karmada §7.1).
type Operation string

// Operations of a Customization.
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

// Operations returns all operations in display order.
func Operations() []Operation {
	return []Operation{
		Retention, ReplicaResource, ComponentResource, ReplicaRevision,
		StatusReflection, StatusAggregation, HealthInterpretation, DependencyInterpretation,
	}
}

// Function returns the name of the Lua function that a script of the operation defines; "" for an unknown operation.
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

// field returns the path of the operation's script.
func (o Operation) field() string { return "spec.customizations." + string(o) + ".luaScript" }

// line returns the path of a line of the script, 1-based, as if the script were a list of lines.
func (o Operation) line(n int) string { return fmt.Sprintf("%s[%d]", o.field(), n) }
