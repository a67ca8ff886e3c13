package counts

// Kind counts the desired objects of one kind on one cluster.
type Kind struct {
	// Desired counts all, Applied those whose desired version the cluster runs, and Failed those that cannot be applied or are not healthy.
	Desired, Applied, Failed int
}
