// Package interpret is what users know about kinds: the Lua scripts of ResourceInterpreterCustomizations (Karmada §7.1)
// and health expressions in CEL as Flux has them. A Book puts it over what status/kind has built in; who asks a Book about
// a kind gets a kind.Kind and cannot tell the difference.
//
// Scripts are guests. Each call has a state of its own, so that none can leave anything behind for another; none can reach
// a clock, a file, the network, the output or chance; and none can need more than a fixed amount of work, which is counted and
// not timed (budget.go). What Lua does in one instruction and that takes more than an instruction's time or memory is
// rewritten, before a script is compiled, to a call that pays for it (instrument.go). So the same objects give the same
// answer on every machine, a script that is stopped included.
//
// What a script of Karmada's may notice: nothing that it writes into a global is there in the next call; os.time and os.date
// convert times and do not know the one now; math.random raises an error; print says nothing; there is no table package; tostring
// of a table is without its address. And AggregateStatus gets an object with nothing but its kind and an empty status, as what
// adds up may not depend on the template; accord has one rule for status.observedGeneration of all kinds.
package interpret
