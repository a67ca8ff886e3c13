// Package lease divides clusters among the replicas of accord on one hub, without a leader. Every replica keeps a Lease. The
// replicas that renew their Leases are the set, and rendezvous hashing over the set assigns every cluster to one replica.
//
// The package promises that no two replicas own a cluster at the same time, whatever is late, lost, cut off or killed.
//
// # The protocol
//
// A replica renews its Lease every period and then lists all Leases. A LIST is a consistent read, never a cache. A replica that
// renewed within the duration is alive. When the set of the living differs from the set that a replica acts on, the replica
//
//  1. gives up every cluster that the new set assigns to another replica, and waits until no write is under way there (Release);
//  2. writes the new set into its Lease, and waits for the acknowledgement;
//  3. lists until every member of the set acts on exactly this set. Only then it owns the clusters that are newly its own.
//
// Until then it keeps the clusters that it owned under the last set agreed on and under every set since (claim).
//
// # Why no two replicas own one cluster
//
// First: at any time a replica owns only clusters that the set in its stored Lease assigns to it. It releases before it writes,
// and takes over only after the write was acknowledged. A write without an answer may still be under way, so the replica takes
// over nothing until a later write has succeeded. Every update names the version that it replaces, so the lost write cannot
// arrive after that.
//
// Now suppose that A and B own cluster c at the same time. Each took c over on an agreement that its last LIST showed, read from
// the store at the moments a and b; let a be before b. Did the set of B's agreement contain A?
//
//   - Yes: then at b the Lease of A showed this set, which assigns c to B, and by the first point A did not own c. To own c later,
//     A needs an agreement later than b, but its last was at a. If A was still waiting for the answer to its LIST of a, then its
//     Lease showed at b the same set as at a, and both agreed on one set, in which c has one owner.
//   - No, B took A for dead: B saw no change of A's Lease in a list sent a whole duration after the answer in which it
//     last saw one. The last renewal of A before that list was therefore sent more than a duration before, and A fences
//     itself a deadline, which is shorter, after it sent its last renewal that was acknowledged in time. It stays fenced if
//     another renewal is acknowledged later. The rest of the duration is for A's Release.
//   - No, A had left: A writes that into its Lease after it released all clusters.
//   - No, B did not know A: the Lease of A was written after b, and A agreed on nothing before it was written.
//
// The proof compares no clocks of two machines: B measures the duration and A the deadline, each by its own clock. The clocks may
// run at speeds that differ by less than Duration/Deadline.
//
// # Restarts and deleted Leases
//
// A process that is started again under the same name is another member (incarnation). It takes the Lease over if the earlier
// process left, or did not renew the Lease for the duration. If it sees a renewal, two processes have one name, which is an error.
//
// A Lease that somebody deletes does not make its replica dead: replicas that knew it count a duration from the first list without
// the Lease, and the replica writes the Lease again. This is why a replica that leaves records that in its Lease and does not delete
// it; the others delete it after a duration. One case remains, as with every election by Leases: a replica that starts between such
// a deletion and the next renewal, and meets no replica that knew the deleted Lease, cannot know of it.
//
// Two cases are outside the promise: a request to a member that left this machine before Release returned, and a process that is
// stopped between the answer of Owns and its request. The second ends with the first instruction after the process continues: Owns
// compares the time itself, and Release ends the context of every request.
package lease
