// Package deliver executes clusters: each has a worker with a queue, a connection, watches and a breaker of its own, so a
// cluster that hangs costs the others nothing. A worker applies what state wants, and passes what it observes back.
package deliver
