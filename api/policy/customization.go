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
	Target         CustomizationTarget `json:"target"`
	Customizations CustomizationRules  `json:"customizations"`
}

// CustomizationTarget is the customized kind. It includes every version of the kind.
type CustomizationTarget struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// CustomizationRules has one script for each operation; nil means the built-in interpretation.
type CustomizationRules struct {
	Retention                *LuaScript `json:"retention,omitempty"`
	ReplicaResource          *LuaScript `json:"replicaResource,omitempty"`
	ComponentResource        *LuaScript `json:"componentResource,omitempty"`
	ReplicaRevision          *LuaScript `json:"replicaRevision,omitempty"`
	StatusReflection         *LuaScript `json:"statusReflection,omitempty"`
	StatusAggregation        *LuaScript `json:"statusAggregation,omitempty"`
	HealthInterpretation     *LuaScript `json:"healthInterpretation,omitempty"`
	DependencyInterpretation *LuaScript `json:"dependencyInterpretation,omitempty"`
}

// LuaScript defines the Lua function of its operation.
type LuaScript struct {
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
