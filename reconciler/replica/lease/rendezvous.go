package lease

import "github.com/cespare/xxhash/v2"

// Owner returns the replica that executes a cluster, for any order of replicas; "" if there are none. The replica with the highest
// weight, a hash of both names, is the owner. A new replica therefore takes an equal share from each other one, a replica that
// leaves gives its share to all, and no other cluster moves. Equal weights go to the name that sorts first. Replicas of two
// versions of accord run side by side during an update: the result must never change.
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

// weight returns the hash of both names with a zero byte between them, which neither can contain.
func weight(cluster, replica string) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(cluster)
	_, _ = d.WriteString("\x00")
	_, _ = d.WriteString(replica)
	return d.Sum64()
}
