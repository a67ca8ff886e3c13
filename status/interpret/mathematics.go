package interpret

import lua "github.com/yuin/gopher-lua"

// mathFunctions are the functions of math. Chance is none: decisions have to be the same each time, so random raises an
// error that says so.
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
