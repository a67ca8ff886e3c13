package sandbox

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Script is a compiled script that defines a function. Concurrent calls are safe.
type Script struct {
	function string
	proto    *lua.FunctionProto
	library  *Library
	states   *sync.Pool // of *lua.LState, see Reuse; nil for a new state in each call
}

// Error is the failure of a script.
type Error struct {
	// Line of the script, 1-based; 0 if it is not known.
	Line    int
	Message string
}

// Error returns the message, shortened and without the line.
func (e *Error) Error() string { return Shorten(e.Message) }

// chunkName precedes the line number in the errors of Lua.
const chunkName = "script"

// Compile compiles a script, runs it once and checks that it defines the function. The error is an *Error.
func (lib *Library) Compile(source, function string) (*Script, error) {
	proto, err := compile(source)
	if err != nil {
		return nil, &Error{Message: err.Error()}
	}
	s := &Script{function: function, proto: proto, library: lib}
	l, _, _, err := s.open()
	if err != nil {
		return nil, failure(err)
	}
	l.Close()
	return s, nil
}

func compile(source string) (*lua.FunctionProto, error) {
	chunk, err := parse.Parse(strings.NewReader(source), chunkName)
	if err != nil {
		return nil, fmt.Errorf("cannot be parsed: %w", err)
	}
	proto, err := lua.Compile(instrument(chunk), chunkName)
	if err != nil {
		return nil, fmt.Errorf("cannot be compiled: %w", err)
	}
	return proto, nil
}

// Reuse returns the script with states that are kept between calls, which makes a call several times faster. It is only
// for trusted scripts that assign to no global and change no table of the library: such an assignment would survive.
func (s *Script) Reuse() *Script {
	next := *s
	next.states = &sync.Pool{}
	return &next
}

// Call calls the function of the script with JSON values and returns its first two results, nil where it returns fewer.
// The error is an *Error.
func (s *Script) Call(args ...any) (first, second Result, err error) {
	l, b, function, err := s.acquire()
	if err != nil {
		return Result{}, Result{}, failure(err)
	}
	values := make([]lua.LValue, len(args))
	for i, a := range args {
		values[i] = ToLua(l, a)
	}
	err = l.CallByParam(lua.P{Fn: function, NRet: 2, Protect: true}, values...)
	if err == nil && b.spent() {
		err = errSpent
	}
	if err != nil {
		l.Close()
		return Result{}, Result{}, failure(err)
	}
	first, second = Result{l.Get(-2), s.function, b}, Result{l.Get(-1), s.function, b}
	s.release(l)
	return first, second, nil
}

// acquire returns a state in which the script has run, the budget of the call and the function.
func (s *Script) acquire() (*lua.LState, *budget, lua.LValue, error) {
	if s.states != nil {
		if l, kept := s.states.Get().(*lua.LState); kept {
			b := s.library.newBudget()
			l.SetContext(b)
			return l, b, l.GetGlobal(s.function), nil
		}
	}
	return s.open()
}

// release keeps the state for another call if the script allows that.
func (s *Script) release(l *lua.LState) {
	if s.states == nil {
		l.Close()
		return
	}
	l.SetTop(0)
	s.states.Put(l)
}

// open runs the script in a new state.
func (s *Script) open() (*lua.LState, *budget, lua.LValue, error) {
	l := lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: maxDepth, MinimizeStackMemory: true,
		RegistrySize: 128, RegistryGrowStep: 256, RegistryMaxSize: maxRegistry,
	})
	b := s.library.newBudget()
	l.SetContext(b)
	s.library.open(l)
	err := l.CallByParam(lua.P{Fn: l.NewFunctionFromProto(s.proto), Protect: true}, s.library.guards...)
	var function lua.LValue
	if err == nil {
		if function = l.GetGlobal(s.function); function.Type() != lua.LTFunction {
			err = fmt.Errorf("defines no function %s", s.function)
		}
	}
	if err == nil && b.spent() {
		err = errSpent
	}
	if err != nil {
		l.Close()
		return nil, nil, nil, err
	}
	return l, b, function, nil
}

// located matches an error of Lua: line and sentence.
var located = regexp.MustCompile(`(?s)^` + chunkName + `:(\d+): ?(.*)$`)

// failure returns the line and the message of an error of Lua.
func failure(err error) *Error {
	raised, ok := errors.AsType[*lua.ApiError](err)
	if !ok {
		return &Error{Message: err.Error()}
	}
	message, ok := raised.Object.(lua.LString)
	if !ok {
		return &Error{Message: "an error that is no string"}
	}
	parts := located.FindStringSubmatch(string(message))
	if parts == nil {
		return &Error{Message: string(message)}
	}
	line, _ := strconv.Atoi(parts[1])
	return &Error{Line: line, Message: parts[2]}
}
