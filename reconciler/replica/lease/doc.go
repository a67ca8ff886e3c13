// Package lease shares clusters over the replicas of accord on one hub, without a leader. Every replica keeps a Lease;
// the replicas whose Leases are renewed are the set, and rendezvous hashing over it says which cluster is whose.
//
// It promises that no two replicas hold a cluster at the same time, whatever is late, lost, cut off or killed.
//
// # The protocol
//
// A replica renews its Lease every period and then lists all of them. A LIST is a consistent read, never a cache. Who
// renewed within the duration is alive. When the set of the living is not the one that the replica acts on, then it
//
//  1. holds nothing any more that is not its own under the new set, and waits until nothing is written there (LetGo);
//  2. writes the new set into its Lease, and waits for the acknowledgement;
//  3. lists until every member of the set is seen to act on exactly this set. Only then it holds what is newly its own.
//
// Until then it goes on with what it held under the last set agreed on and owns under every set since (claim).
//
// # Why no two replicas hold one cluster
//
// First: at any time a replica holds only what is its own under the set that its stored Lease shows. It lets go before
// it writes, and takes only after the write was acknowledged. A write of which the answer was lost may still be under
// way, so the replica takes nothing until a later one has succeeded. Every update names the version it replaces, and
// so the lost one cannot arrive after that.
//
// Now suppose that A and B hold cluster c at the same time. Each took it on an agreement that its last LIST showed, read from
// the store at the moments a and b; let a be before b. Did the set of B's agreement contain A?
//
//   - Yes: then at b the Lease of A showed this set, in which c is B's, and by the first point A did not hold c. To hold
//     it later it needs an agreement later than b, but its last was at a. If A was still waiting for the answer to its LIST
//     of a, then its Lease showed at b what it showed at a, and both agreed on one set, in which c has one owner.
//   - No, B took A for dead: B saw no change of A's Lease in a list sent a whole duration after the answer in which it
//     last saw one. The last renewal of A before that list was therefore sent more than a duration before, and A fences
//     itself a deadline, which is shorter, after it sent its last renewal that was acknowledged in time. It stays fenced if
//     another is acknowledged later. What is left of the duration is for A's LetGo.
//   - No, A had left: it writes that into its Lease after it let go of everything.
//   - No, B did not know A: the Lease of A was written after b, and A agreed on nothing before it was written.
//
// No clocks of two machines are compared: B measures the duration and A the deadline, each by its own. They may run at
// speeds that differ by less than Duration/Deadline.
//
// # What else may happen
//
// A process started again under the name of one before is another member (incarnation). It takes the Lease over when that one
// left, or was seen not to renew it for the duration; if it sees it renewed, there are two of one name, which is an error.
//
// A Lease that somebody deletes does not make its replica dead: those who knew it count its duration, and it writes the
// Lease again. This is why a replica that leaves says so in its Lease, and does not delete it; the others do, when a
// duration is over. What remains, as with every election by Leases: a replica that starts in the moment between such a
// deletion and the next renewal, and meets none who knew the deleted one, cannot know of it.
//
// Two things are outside: a request to a member that left this machine before LetGo returned, and a process that is
// stopped between asking Holds and sending. The second ends with the first instruction after it goes on: Holds
// compares the time itself, and every request has a context that LetGo ended.
package lease
