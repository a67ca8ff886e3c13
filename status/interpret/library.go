package interpret

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// library is what scripts can call (Karmada §7.1), made once. Functions are shared by all states, as none of them keeps
// anything; tables are made in each state when they are first asked for, as scripts can write into them.
type library struct {
	guards  []lua.LValue
	globals map[string]lua.LValue
	modules map[string][]entry
	kube    []entry
	// metaGlobals and metaStrings are what happens when a global is not there, and when a string is asked for a method.
	metaGlobals, metaStrings *lua.LTable
}

type entry struct {
	name  string
	value lua.LValue
}

// newLibrary takes from the libraries of gopher-lua what is safe as it is, and has its own for the rest: nothing here reads
// a clock or a file, prints, rolls dice, or takes time or memory that the script does not pay for.
func newLibrary() *library {
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for _, open := range []lua.LGFunction{lua.OpenBase, lua.OpenTable, lua.OpenMath, lua.OpenString, lua.OpenOs} {
		l.Push(l.NewFunction(open))
		l.Call(0, 0)
	}
	lib := &library{
		globals: map[string]lua.LValue{"_VERSION": lua.LString(lua.LuaVersion)},
		modules: map[string][]entry{
			"table":  tableFunctions(l),
			"math":   mathFunctions(l),
			"string": stringFunctions(l),
			"os":     clockFunctions(l),
		},
		kube:        kubeFunctions(l),
		metaGlobals: l.NewTable(),
		metaStrings: l.NewTable(),
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

// open puts the library into a new state.
func (lib *library) open(l *lua.LState) {
	l.SetMetatable(l.G.Global, lib.metaGlobals)
	l.SetMetatable(lua.LString(""), lib.metaStrings)
}

// global is asked for a global that is not there (table, name): it may be one of the library.
func (lib *library) global(l *lua.LState) int {
	name, _ := l.Get(2).(lua.LString)
	v := lib.make(l, string(name))
	if v != lua.LNil {
		l.G.Global.RawSetString(string(name), v)
	}
	l.Push(v)
	return 1
}

func (lib *library) make(l *lua.LState, name string) lua.LValue {
	if v, ok := lib.globals[name]; ok {
		return v
	}
	if entries, ok := lib.modules[name]; ok {
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

// method is asked for a method of a string (string, name): they are in the table string.
func (lib *library) method(l *lua.LState) int {
	l.Push(l.GetField(l.GetGlobal("string"), l.CheckString(2)))
	return 1
}

// require gives the same table each time it is asked in a state.
func (lib *library) require(l *lua.LState) lua.LValue {
	var kube *lua.LTable
	return l.NewFunction(func(l *lua.LState) int {
		if name := l.CheckString(1); name != "kube" {
			l.RaiseError("module %q not found: there is only \"kube\"", shorten(name))
		}
		if kube == nil {
			kube = table(l, lib.kube)
		}
		l.Push(kube)
		return 1
	})
}

// table is a new table of the state, with these entries in this order.
func table(l *lua.LState, entries []entry) *lua.LTable {
	t := l.CreateTable(0, len(entries))
	for _, e := range entries {
		t.RawSetString(e.name, e.value)
	}
	return t
}

// taken are functions of gopher-lua from a table of it, by name.
func taken(from lua.LValue, names ...string) []entry {
	out := make([]entry, 0, len(names))
	for _, name := range names {
		out = append(out, entry{name, from.(*lua.LTable).RawGetString(name)})
	}
	return out
}

// own are functions of our own.
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

// paid is a function that costs something more before it runs.
func paid(f lua.LValue, price func(*lua.LState) int64) lua.LGFunction {
	run := f.(*lua.LFunction).GFunction
	return func(l *lua.LState) int {
		pay(l, price(l))
		return run(l)
	}
}
