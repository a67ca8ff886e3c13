// Package clusters connects to member clusters, probes them and measures their capacity. It only reads; package
// reconciler/apply writes to members.
//
// Every Member has its own connection, circuit breaker and locks, so a member that hangs does not delay the others.
// Members share only immutable values (see discovery.Cache), and no lock on them is held during a request. Every
// goroutine has an owner: watch.Watcher.Close waits for its own.
package clusters
