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

// HealthExprs is one of Flux's healthCheckExprs: the health of a kind in CEL. The fields of the object are variables:
// metadata, spec, status and what else it has at its top. An object without status is asked with an empty one, where Flux
// would have an error.
type HealthExprs struct {
	// At is where it is written, for what is said of a mistake in it; it may be left out.
	At manifest.Origin
	// APIVersion and Kind of the objects; every version is meant, as everywhere.
	APIVersion, Kind string
	// InProgress is asked first, then Failed, then Current; the first that is true decides, and if none is, the object is
	// progressing. Only Current is required.
	Current, InProgress, Failed string
}

func (h HealthExprs) title() string { return "healthCheckExprs of " + h.APIVersion + " " + h.Kind }

// maxCost is what one expression may cost, in CEL's own units: a loop over 1,000 conditions is a few thousand.
const maxCost = 1 << 20

// question is one compiled expression and what it says of an object when it is true.
type question struct {
	field   string
	says    kind.Health
	program cel.Program
}

// examination is what is asked about an object, in this order.
type examination struct {
	of        HealthExprs
	questions []question
}

// examine compiles expressions. The error joins every mistake, each a *manifest.Error.
func (h HealthExprs) examine() (*examination, error) {
	env, err := cel.NewEnv(
		cel.HomogeneousAggregateLiterals(), cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(), ext.Strings(), ext.Sets(), ext.Encoders(),
	)
	if err != nil {
		return nil, h.mistake("CEL cannot be set up: %v", err)
	}
	e := &examination{of: h}
	var mistakes []error
	if h.Current == "" {
		mistakes = append(mistakes, h.mistake("current is required"))
	}
	for _, q := range []struct {
		field, text string
		says        kind.Health
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
		e.questions = append(e.questions, question{q.field, q.says, program})
	}
	return e, errors.Join(mistakes...)
}

func (h HealthExprs) mistake(format string, args ...any) error {
	return &manifest.Error{Origin: h.At, Message: h.title() + ": " + fmt.Sprintf(format, args...)}
}

// program parses an expression. It is not checked: what the fields of the object are is not known.
func program(env *cel.Env, text string) (cel.Program, error) {
	ast, issues := env.Parse(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, fmt.Errorf("line %d, column %d: %s", first.Location.Line(), first.Location.Column()+1, first.Message)
	}
	return env.Program(ast, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxCost))
}

// health asks about an object. The error says which expression could not be evaluated, and why.
func (e *examination) health(u *unstructured.Unstructured) (kind.Health, string, error) {
	variables := u.Object
	if variables["status"] == nil {
		variables = maps.Clone(u.Object)
		variables["status"] = map[string]any{}
	}
	for _, q := range e.questions {
		result, _, err := q.program.Eval(variables)
		if err != nil {
			return kind.Unknown, "", e.of.mistake("%s cannot be evaluated: %s", q.field, sandbox.Shorten(err.Error()))
		}
		holds, ok := result.(types.Bool)
		if !ok {
			return kind.Unknown, "", e.of.mistake("%s is a %s, and not true or false", q.field, result.Type().TypeName())
		}
		if holds {
			return q.says, q.field + " of " + e.of.title() + " holds", nil
		}
	}
	return kind.Progressing, "none of " + e.of.title() + " holds", nil
}
