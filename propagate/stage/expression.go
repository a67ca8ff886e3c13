package stage

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// Expression is a CEL expression of a gate. Its only variable is objects, the list of the objects of the rollout on a
// cluster, each with apiVersion, kind, metadata.namespace, metadata.name and status.
type Expression struct {
	program cel.Program
}

// maxCost limits one evaluation, in the cost units of CEL: a loop over 1,000 conditions costs a few thousand.
const maxCost = 1 << 20

// Compile compiles an expression. The error has one line with the position of the first mistake.
func Compile(text string) (*Expression, error) {
	env, err := cel.NewEnv(
		cel.Variable("objects", cel.ListType(cel.DynType)),
		cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true), cel.OptionalTypes(), ext.Strings(), ext.Sets(),
	)
	if err != nil {
		return nil, fmt.Errorf("setting up CEL: %w", err)
	}
	ast, issues := env.Compile(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, fmt.Errorf("line %d, column %d: %s", first.Location.Line(), first.Location.Column()+1, first.Message)
	}
	if out := ast.OutputType(); !out.IsExactType(cel.BoolType) && !out.IsExactType(cel.DynType) {
		return nil, fmt.Errorf("the expression is of type %s, expected bool", out)
	}
	program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxCost))
	if err != nil {
		return nil, fmt.Errorf("preparing the expression: %w", err)
	}
	return &Expression{program}, nil
}

// Answer returns yes when the expression is true for the objects. An error means "not yet", because a missing field may
// appear.
func (e *Expression) Answer(objects []Live) Answer {
	list := make([]any, len(objects))
	for i, o := range objects {
		list[i] = o.document()
	}
	value, _, err := e.program.Eval(map[string]any{"objects": list})
	if err != nil {
		return Answer{State: Progressing, Message: err.Error()}
	}
	if yes, ok := value.Value().(bool); ok && yes {
		return Answer{State: Healthy}
	}
	return Answer{State: Progressing, Message: "the expression is not true"}
}
