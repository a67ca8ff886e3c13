// Package interpret applies the rules of users about kinds: the Lua scripts of ResourceInterpreterCustomizations (Karmada §7.1)
// and health expressions in CEL, as in Flux. A Book puts them over the built-in rules of status/kind and returns a kind.Kind.
//
// Scripts run in status/interpret/sandbox: the same objects give the same answer on every machine. Two things differ from
// Karmada for a script. AggregateStatus gets an object with nothing but its kind and an empty status, because the sum must
// not depend on the template. And accord has one rule for status.observedGeneration of all kinds.
package interpret
