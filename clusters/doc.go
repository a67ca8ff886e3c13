// Package clusters holds the members: how to reach each, whether it answers, and what is watched on it. It reads;
// only package reconciler/apply writes to a member.
//
// Every Member has a connection and locks of its own, so that one that hangs costs the others nothing. What members
// share (see Catalogs) are values that never change, and nothing is asked while they are locked. Nothing here starts a
// goroutine without an owner: a Watch has Close, which waits for all of its own.
package clusters
