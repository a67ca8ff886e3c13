// Package sandbox runs untrusted Lua 5.1 scripts as pure functions of JSON values.
//
// Each call runs in a state of its own, so no call can influence another one. A script cannot reach a clock, a file, the
// network, standard output or a source of randomness. Its work is counted and not timed (budget.go): a script that is
// stopped is stopped at the same instruction on every machine. An operation whose time or memory exceeds that of one
// instruction is rewritten, before the script is compiled, to a call that pays for it (instrument.go).
//
// Scripts written for other hosts may notice these differences: globals do not survive a call; os.time and os.date convert
// times but do not return the current time; math.random and math.randomseed raise an error; print discards its arguments;
// tostring of a table omits the address.
package sandbox
