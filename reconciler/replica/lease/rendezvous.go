package lease

import "github.com/cespare/xxhash/v2"

// Owner is the replica that a cluster belongs to among replicas, in whatever order they are named; "" among none. It is
// the replica of the highest weight, which is a hash of both names, so that a replica that comes takes from each other
// one its share and a replica that goes leaves its own to all, and nothing else moves. Equal weights go to the name that
// sorts first. Replicas of two versions of accord run side by side during an update: what this returns must never change.
func Owner(cluster string, replicas []string) string {
	var owner string
	var highest uint64
	for _, replica := range replicas {
		w := weight(cluster, replica)
		if owner == "" || w > highest || w == highest && replica < owner {
			owner, highest = replica, w
		}
	}
	return owner
}

// weight hashes both names with a zero byte between them, which neither can contain.
func weight(cluster, replica string) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(cluster)
	_, _ = d.WriteString("\x00")
	_, _ = d.WriteString(replica)
	return d.Sum64()
}
