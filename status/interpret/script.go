package interpret

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
	"github.com/accord-dev/accord/status/interpret/sandbox"
)

// script is the compiled script of one operation. Concurrent calls are safe.
type script struct {
	of  *policy.Customization
	op  policy.Operation
	lua *sandbox.Script
}

//go:embed accord.lua
var accordModule string

// newLibrary returns the functions that scripts can call: those of Karmada §7.1, and require("accord").
func newLibrary() *sandbox.Library {
	return sandbox.NewLibrary(
		sandbox.Module{Name: "kube", Functions: kubeFunctions()},
		sandbox.Module{Name: "accord", Source: accordModule},
	)
}

// compile compiles the script of an operation and checks that it defines its function.
func compile(c *policy.Customization, op policy.Operation, lib *sandbox.Library) (*script, error) {
	s := &script{of: c, op: op}
	var err error
	if s.lua, err = lib.Compile(c.Script(op), op.Function()); err != nil {
		return nil, s.fail(err)
	}
	return s, nil
}

// call calls the function of the script with JSON values.
func (s *script) call(args ...any) (first, second sandbox.Result, err error) {
	if first, second, err = s.lua.Call(args...); err != nil {
		err = s.fail(err)
	}
	return first, second, err
}

// fail returns an error of the script at its line, or at the place of the script if the line is not known.
func (s *script) fail(err error) error {
	line := 0
	if at, ok := errors.AsType[*sandbox.Error](err); ok {
		line = at.Line
	}
	return &manifest.Error{Origin: s.of.ScriptAt(s.op, line), Message: fmt.Sprintf("%s: %s", s.op, sandbox.Shorten(err.Error()))}
}
