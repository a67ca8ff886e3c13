package interpret

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// library is what scripts can call (Karmada §7.1): made once, and given to every state in tables of its own. Functions
// have no state, so that no script can leave anything behind for another one.
type library struct {
	guards  []lua.LValue
	globals []entry
	modules []module
	kube    []entry
}

// module is a table of functions.
type module struct {
	name    string
	entries []entry
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
		globals: baseFunctions(l),
		modules: []module{
			{"table", tableFunctions(l)},
			{"math", mathFunctions(l)},
			{"string", stringFunctions(l)},
			{"os", clockFunctions(l)},
		},
		kube: kubeFunctions(l),
	}
	for _, g := range guards() {
		lib.guards = append(lib.guards, l.NewFunction(g))
	}
	return lib
}

// open puts the library into a new state.
func (lib *library) open(l *lua.LState) {
	globals := l.G.Global
	set(globals, lib.globals)
	globals.RawSetString("_G", globals)
	globals.RawSetString("_VERSION", lua.LString(lua.LuaVersion))
	for _, m := range lib.modules {
		t := l.CreateTable(0, len(m.entries))
		set(t, m.entries)
		globals.RawSetString(m.name, t)
		if m.name == "string" {
			t.RawSetString("__index", t)
			l.SetMetatable(lua.LString(""), t)
		}
	}
	globals.RawSetString("require", lib.require(l))
}

// require is the only one that is not shared: it gives the same table each time it is asked in a state.
func (lib *library) require(l *lua.LState) lua.LValue {
	var kube *lua.LTable
	return l.NewFunction(func(l *lua.LState) int {
		if name := l.CheckString(1); name != "kube" {
			l.RaiseError("module %q not found: there is only \"kube\"", shorten(name))
		}
		if kube == nil {
			kube = l.CreateTable(0, len(lib.kube))
			set(kube, lib.kube)
		}
		l.Push(kube)
		return 1
	})
}

func set(t *lua.LTable, entries []entry) {
	for _, e := range entries {
		t.RawSetString(e.name, e.value)
	}
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
