package policy

import "github.com/accord-dev/accord/api/manifest"

// ConfigGroup is the API group of ResourceInterpreterCustomizations.
const ConfigGroup = "config.karmada.io"

// Customization is a ResourceInterpreterCustomization (Karmada §7.1): Lua scripts that interpret one kind.
type Customization struct {
	Meta
	Spec CustomizationSpec
}

// Title returns "ResourceInterpreterCustomization rollout".
func (c *Customization) Title() string { return "ResourceInterpreterCustomization " + c.Name }

// Script returns the script of an operation, or "".
func (c *Customization) Script(op Operation) string {
	if s := c.Spec.Customizations.of(op); s != nil {
		return s.LuaScript
	}
	return ""
}

// ScriptAt returns the position of a line of a script, 1-based: the line of the file if the script is a literal block
// (luaScript: |), else the line where the script begins.
func (c *Customization) ScriptAt(op Operation, line int) manifest.Origin { return c.At(op.line(line)) }

// CustomizationSpec is .spec of a ResourceInterpreterCustomization.
type CustomizationSpec struct {
	// Target is the customized kind.
	Target CustomizationTarget `json:"target"`
	// Customizations have one script for each operation. At least one is required.
	Customizations CustomizationRules `json:"customizations"`
}

// CustomizationTarget is the customized kind. It includes every version of the kind.
type CustomizationTarget struct {
	// APIVersion is the group and version of the kind. The scripts apply to every version.
	APIVersion string `json:"apiVersion"`
	// Kind is the customized kind.
	Kind string `json:"kind"`
}

// CustomizationRules has one script for each operation; nil means the built-in interpretation.
type CustomizationRules struct {
	// Retention defines the function Retain(desiredObj, observedObj): the object to apply, with the fields that the
	// cluster owns.
	Retention *LuaScript `json:"retention,omitempty"`
	// ReplicaResource defines the function GetReplicas(desiredObj): the number of replicas and the requirements of
	// one.
	ReplicaResource *LuaScript `json:"replicaResource,omitempty"`
	// ComponentResource defines the function GetComponents(desiredObj): the replicas and requirements of each
	// component.
	ComponentResource *LuaScript `json:"componentResource,omitempty"`
	// ReplicaRevision defines the function ReviseReplica(desiredObj, desiredReplica): the object with that number of
	// replicas.
	ReplicaRevision *LuaScript `json:"replicaRevision,omitempty"`
	// StatusReflection defines the function ReflectStatus(observedObj): the status to report.
	StatusReflection *LuaScript `json:"statusReflection,omitempty"`
	// StatusAggregation defines the function AggregateStatus(desiredObj, statusItems): the object with the status of
	// all clusters.
	StatusAggregation *LuaScript `json:"statusAggregation,omitempty"`
	// HealthInterpretation defines the function InterpretHealth(observedObj): whether the object is healthy.
	HealthInterpretation *LuaScript `json:"healthInterpretation,omitempty"`
	// DependencyInterpretation defines the function GetDependencies(desiredObj): the objects that this one needs.
	DependencyInterpretation *LuaScript `json:"dependencyInterpretation,omitempty"`
}

// LuaScript defines the Lua function of its operation.
type LuaScript struct {
	// LuaScript is the source of the script.
	LuaScript string `json:"luaScript"`
}

func (r *CustomizationRules) of(op Operation) *LuaScript {
	switch op {
	case Retention:
		return r.Retention
	case ReplicaResource:
		return r.ReplicaResource
	case ComponentResource:
		return r.ComponentResource
	case ReplicaRevision:
		return r.ReplicaRevision
	case StatusReflection:
		return r.StatusReflection
	case StatusAggregation:
		return r.StatusAggregation
	case HealthInterpretation:
		return r.HealthInterpretation
	case DependencyInterpretation:
		return r.DependencyInterpretation
	}
	return nil
}
