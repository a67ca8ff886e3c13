package interpret

import (
	"errors"
	"fmt"
	"maps"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/status/interpret/sandbox"
	"github.com/accord-dev/accord/status/kind"
)

// HealthExprs is one of Flux's healthCheckExprs: the health of a kind in CEL. The top-level fields of the object are
// variables: metadata, spec, status and others. An object without status has an empty one here; Flux returns an error.
type HealthExprs struct {
	// At is the place of the expressions, for errors; it may be empty.
	At manifest.Origin
	// APIVersion and Kind of the objects; the expressions apply to every version.
	APIVersion, Kind string
	// InProgress is evaluated first, then Failed, then Current; the first that is true decides, and if none is, the
	// object is progressing. Only Current is required.
	Current, InProgress, Failed string
}

func (h HealthExprs) title() string { return "healthCheckExprs of " + h.APIVersion + " " + h.Kind }

// maxCost limits one expression, in CEL's own units: a loop over 1,000 conditions costs a few thousand.
const maxCost = 1 << 20

// condition is a compiled expression and the health of objects for which it is true.
type condition struct {
	field   string
	health  kind.Health
	program cel.Program
}

// healthRule has the expressions for a kind, in the order of evaluation.
type healthRule struct {
	of         HealthExprs
	conditions []condition
}

// compile compiles the expressions. The error joins every mistake, each a *manifest.Error.
func (h HealthExprs) compile() (*healthRule, error) {
	env, err := cel.NewEnv(
		cel.HomogeneousAggregateLiterals(), cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Encoders(),
	)
	if err != nil {
		return nil, h.mistake("CEL cannot be set up: %v", err)
	}
	e := &healthRule{of: h}
	var mistakes []error
	if h.Current == "" {
		mistakes = append(mistakes, h.mistake("current is required"))
	}
	for _, q := range []struct {
		field, text string
		health      kind.Health
	}{
		{"inProgress", h.InProgress, kind.Progressing}, {"failed", h.Failed, kind.Failed}, {"current", h.Current, kind.Healthy},
	} {
		if q.text == "" {
			continue
		}
		program, err := program(env, q.text)
		if err != nil {
			mistakes = append(mistakes, h.mistake("%s %q is no CEL expression: %v", q.field, sandbox.Shorten(q.text), err))
			continue
		}
		e.conditions = append(e.conditions, condition{q.field, q.health, program})
	}
	return e, errors.Join(mistakes...)
}

func (h HealthExprs) mistake(format string, args ...any) error {
	return &manifest.Error{Origin: h.At, Message: h.title() + ": " + fmt.Sprintf(format, args...)}
}

// program parses an expression. It does not check types: the fields of the object are unknown.
func program(env *cel.Env, text string) (cel.Program, error) {
	ast, issues := env.Parse(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, fmt.Errorf("line %d, column %d: %s", first.Location.Line(), first.Location.Column()+1, first.Message)
	}
	return env.Program(ast, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxCost))
}

// health evaluates the expressions. The error names the expression that failed.
func (e *healthRule) health(u *unstructured.Unstructured) (kind.Health, string, error) {
	variables := u.Object
	if variables["status"] == nil {
		variables = maps.Clone(u.Object)
		variables["status"] = map[string]any{}
	}
	for _, q := range e.conditions {
		result, _, err := q.program.Eval(variables)
		if err != nil {
			return kind.Unknown, "", e.of.mistake("%s cannot be evaluated: %s", q.field, sandbox.Shorten(err.Error()))
		}
		holds, ok := result.(types.Bool)
		if !ok {
			return kind.Unknown, "", e.of.mistake("%s is a %s, and not true or false", q.field, result.Type().TypeName())
		}
		if holds {
			return q.health, q.field + " of " + e.of.title() + " holds", nil
		}
	}
	return kind.Progressing, "none of " + e.of.title() + " holds", nil
}
