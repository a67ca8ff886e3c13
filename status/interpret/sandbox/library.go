package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Library is the set of functions that scripts can call, made once. All states share the functions, which keep nothing; a
// state makes a table when the script first asks for it, because scripts can write into tables.
type Library struct {
	guards  []lua.LValue
	globals map[string]lua.LValue
	tables  map[string][]entry
	modules map[string]module
	// metaGlobals and metaStrings resolve globals that a state does not have yet, and methods of strings.
	metaGlobals, metaStrings *lua.LTable
	meter                    *Meter // nil unless the work is added up
}

type entry struct {
	name  string
	value lua.LValue
}

// Module is a table that scripts get by require: the Functions, which pay for their work with Pay, in the table that the
// Source returns, if there is one. The Source is a trusted script; its table also has emptyList and emptyObject.
type Module struct {
	Name      string
	Functions map[string]lua.LGFunction
	Source    string
}

type module struct {
	entries []entry
	source  *lua.FunctionProto
}

// emptyList and emptyObject stand for an empty list and an empty object, which are the same table in Lua. They are only read.
var (
	emptyList   = &lua.LUserData{Value: []any{}}
	emptyObject = &lua.LUserData{Value: map[string]any{}}
)

// NewLibrary returns a library with the given modules. It takes from the libraries of gopher-lua only the functions that
// read no clock or file, print nothing, use no randomness, and neither take time nor keep memory that the script does not
// pay for; the others are our own. It panics if the Source of a module, which is part of the program, does not compile.
func NewLibrary(modules ...Module) *Library {
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for _, open := range []lua.LGFunction{lua.OpenBase, lua.OpenTable, lua.OpenMath, lua.OpenString, lua.OpenOs} {
		l.Push(l.NewFunction(open))
		l.Call(0, 0)
	}
	lib := &Library{
		globals: map[string]lua.LValue{"_VERSION": lua.LString(lua.LuaVersion)},
		tables: map[string][]entry{
			"table":  tableFunctions(l),
			"math":   mathFunctions(l),
			"string": stringFunctions(l),
			"os":     clockFunctions(l),
		},
		modules:     map[string]module{},
		metaGlobals: l.NewTable(),
		metaStrings: l.NewTable(),
	}
	for _, m := range modules {
		lib.modules[m.Name] = m.prepare(l)
	}
	for _, e := range baseFunctions(l) {
		lib.globals[e.name] = e.value
	}
	for _, g := range guards() {
		lib.guards = append(lib.guards, l.NewFunction(g))
	}
	lib.metaGlobals.RawSetString("__index", l.NewFunction(lib.global))
	lib.metaStrings.RawSetString("__index", l.NewFunction(lib.method))
	return lib
}

func (m Module) prepare(l *lua.LState) module {
	prepared := module{entries: sorted(own(l, m.Functions))}
	if m.Source == "" {
		return prepared
	}
	prepared.entries = append(prepared.entries, entry{"emptyList", emptyList}, entry{"emptyObject", emptyObject})
	var err error
	if prepared.source, err = compile(m.Source); err != nil {
		panic(fmt.Sprintf("module %s: %v", m.Name, err))
	}
	return prepared
}

// open puts the library into a new state.
func (lib *Library) open(l *lua.LState) {
	l.SetMetatable(l.G.Global, lib.metaGlobals)
	l.SetMetatable(lua.LString(""), lib.metaStrings)
}

// global resolves a global that the state does not have yet (table, name).
func (lib *Library) global(l *lua.LState) int {
	name, _ := l.Get(2).(lua.LString)
	v := lib.make(l, string(name))
	if v != lua.LNil {
		l.G.Global.RawSetString(string(name), v)
	}
	l.Push(v)
	return 1
}

func (lib *Library) make(l *lua.LState, name string) lua.LValue {
	if v, ok := lib.globals[name]; ok {
		return v
	}
	if entries, ok := lib.tables[name]; ok {
		return table(l, entries)
	}
	switch name {
	case "_G":
		return l.G.Global
	case "require":
		return lib.require(l)
	}
	return lua.LNil
}

// method resolves a method of a string (string, name): methods are in the table string.
func (lib *Library) method(l *lua.LState) int {
	l.Push(l.GetField(l.GetGlobal("string"), l.CheckString(2)))
	return 1
}

// require returns the function require of a state, which returns the same table each time.
func (lib *Library) require(l *lua.LState) lua.LValue {
	loaded := map[string]lua.LValue{}
	return l.NewFunction(func(l *lua.LState) int {
		name := l.CheckString(1)
		m, known := lib.modules[name]
		if !known {
			l.RaiseError("module %q not found; use one of: %s", Shorten(name), strings.Join(slices.Sorted(maps.Keys(lib.modules)), ", "))
		}
		if loaded[name] == nil {
			loaded[name] = lib.load(l, m)
		}
		l.Push(loaded[name])
		return 1
	})
}

func (lib *Library) load(l *lua.LState, m module) lua.LValue {
	if m.source == nil {
		return table(l, m.entries)
	}
	l.Push(l.NewFunctionFromProto(m.source))
	for _, g := range lib.guards {
		l.Push(g)
	}
	l.Call(len(lib.guards), 1)
	loaded := l.CheckTable(-1)
	l.Pop(1)
	for _, e := range m.entries {
		loaded.RawSetString(e.name, e.value)
	}
	return loaded
}

// table returns a new table of the state, with these entries in this order.
func table(l *lua.LState, entries []entry) *lua.LTable {
	t := l.CreateTable(0, len(entries))
	for _, e := range entries {
		t.RawSetString(e.name, e.value)
	}
	return t
}

// taken returns functions of gopher-lua from one of its tables, by name.
func taken(from lua.LValue, names ...string) []entry {
	out := make([]entry, 0, len(names))
	for _, name := range names {
		out = append(out, entry{name, from.(*lua.LTable).RawGetString(name)})
	}
	return out
}

func own(l *lua.LState, functions map[string]lua.LGFunction) []entry {
	out := make([]entry, 0, len(functions))
	for name, f := range functions {
		out = append(out, entry{name, l.NewFunction(f)})
	}
	return out
}

// sorted joins entries in the order of their names, in which scripts see them.
func sorted(lists ...[]entry) []entry {
	return slices.SortedFunc(slices.Values(slices.Concat(lists...)), func(a, b entry) int { return strings.Compare(a.name, b.name) })
}

// paid returns a function that pays before it runs.
func paid(f lua.LValue, price func(*lua.LState) int64) lua.LGFunction {
	run := f.(*lua.LFunction).GFunction
	return func(l *lua.LState) int {
		Pay(l, price(l))
		return run(l)
	}
}
