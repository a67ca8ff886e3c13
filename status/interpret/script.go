package interpret

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/accord-dev/accord/api/manifest"
	"github.com/accord-dev/accord/api/policy"
)

// script is a compiled script: it can be called from many places at once, as no call leaves anything behind.
type script struct {
	of      *policy.Customization
	op      policy.Operation
	proto   *lua.FunctionProto
	library *library
}

// chunkName stands in front of the line in what Lua says of an error.
const chunkName = "script"

// compile compiles a script and sees whether it defines its function.
func compile(c *policy.Customization, op policy.Operation, lib *library) (*script, error) {
	s := &script{of: c, op: op, library: lib}
	chunk, err := parse.Parse(strings.NewReader(c.Script(op)), chunkName)
	if err != nil {
		return nil, s.fail(fmt.Errorf("cannot be parsed: %w", err))
	}
	if s.proto, err = lua.Compile(instrument(chunk), chunkName); err != nil {
		return nil, s.fail(fmt.Errorf("cannot be compiled: %w", err))
	}
	_, err = s.run(func(*lua.LState, lua.LValue) error { return nil })
	return s, err
}

// results are what a script returned, and the budget that is left to read it.
type results struct {
	first, second lua.LValue
	budget        *budget
}

// call calls the function of the script with JSON values.
func (s *script) call(args ...any) (results, error) {
	var out results
	b, err := s.run(func(l *lua.LState, function lua.LValue) error {
		values := make([]lua.LValue, len(args))
		for i, a := range args {
			values[i] = toLua(l, a)
		}
		if err := l.CallByParam(lua.P{Fn: function, NRet: 2, Protect: true}, values...); err != nil {
			return err
		}
		out.first, out.second = l.Get(-2), l.Get(-1)
		return nil
	})
	out.budget = b
	return out, err
}

// run runs the script in a state of its own, and then does something with the function that it defines.
func (s *script) run(then func(l *lua.LState, function lua.LValue) error) (*budget, error) {
	l := lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: maxDepth, MinimizeStackMemory: true,
		RegistrySize: 128, RegistryGrowStep: 256, RegistryMaxSize: maxRegistry,
	})
	defer l.Close()
	b := newBudget()
	l.SetContext(b)
	s.library.open(l)
	err := l.CallByParam(lua.P{Fn: l.NewFunctionFromProto(s.proto), Protect: true}, s.library.guards...)
	if err == nil {
		if function := l.GetGlobal(s.op.Function()); function.Type() == lua.LTFunction {
			err = then(l, function)
		} else {
			err = fmt.Errorf("defines no function %s", s.op.Function())
		}
	}
	if err == nil && b.spent() {
		err = errSpent
	}
	if err != nil {
		return b, s.fail(err)
	}
	return b, nil
}

// spoken is what Lua says of an error: line and sentence.
var spoken = regexp.MustCompile(`(?s)^` + chunkName + `:(\d+): ?(.*)$`)

// fail is an error of the script: in the line that Lua told, or where the script is written.
func (s *script) fail(err error) error {
	line, why := 0, err.Error()
	if raised, ok := errors.AsType[*lua.ApiError](err); ok {
		why = "an error that is no string"
		if said, ok := raised.Object.(lua.LString); ok {
			why = string(said)
		}
		if parts := spoken.FindStringSubmatch(why); parts != nil {
			line, _ = strconv.Atoi(parts[1])
			why = parts[2]
		}
	}
	return &manifest.Error{Origin: s.of.ScriptAt(s.op, line), Message: fmt.Sprintf("%s: %s", s.op, shorten(why))}
}
