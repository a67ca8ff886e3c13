package sandbox

import lua "github.com/yuin/gopher-lua"

// mathFunctions returns the functions of math. random and randomseed raise an error, because decisions must be the same
// each time.
func mathFunctions(l *lua.LState) []entry {
	from := l.GetGlobal("math")
	return sorted(
		taken(from, "abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp", "floor", "fmod", "frexp",
			"huge", "ldexp", "log", "log10", "max", "min", "mod", "modf", "pi", "pow", "rad", "sin", "sinh", "sqrt", "tan", "tanh"),
		own(l, map[string]lua.LGFunction{"random": noChance, "randomseed": noChance}),
	)
}

func noChance(l *lua.LState) int {
	l.RaiseError("there is no chance here: the same objects must give the same answer")
	return 0
}
