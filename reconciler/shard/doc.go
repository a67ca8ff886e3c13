// Package shard shares clusters over the replicas of accord on one hub, without a leader. Every replica keeps a Lease;
// the replicas whose Leases are renewed share, and rendezvous hashing says which cluster is whose.
//
// It promises that no two replicas hold one cluster at one time, whatever is late, lost or cut off.
package shard
