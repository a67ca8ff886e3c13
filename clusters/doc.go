// Package clusters holds the members: how to reach each, whether it answers, and what is watched on it. It reads;
// only package reconciler/apply writes to a member.
//
// Every Member has a connection, a discovery cache and locks of its own, so that one that hangs costs the others
// nothing. Nothing here starts a goroutine without an owner: a Watch has Close, which waits for all of its own.
package clusters
