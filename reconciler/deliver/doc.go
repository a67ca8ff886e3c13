// Package deliver executes clusters: each has a worker with a queue, a connection, watches and a breaker of its own, so a
// cluster that hangs costs the others nothing. A worker applies the objects that state wants, and reports its observations to state.
package deliver
